export { GroupDraw } from './groupDraw.js';
export type { MonitorPoint, PromiseJudgment, RecentRate } from './judgePromise.js';
export type { AuditDraw, AuditLabels, LogLine } from './logLine.js';
export {
  createMonitor,
  type MissedMonitoring,
  type Monitor,
  type Monitoring,
  type MonitorOptions,
  monitor,
} from './monitor.js';
export {
  monitorPair,
  type PairedLine,
  type PairedMonitoring,
  type ShareDifference,
} from './pairedMonitor.js';
export { type PresenceDrift, presenceDrift } from './presenceDrift.js';
export type { LinePlace } from './promiseEvents.js';
