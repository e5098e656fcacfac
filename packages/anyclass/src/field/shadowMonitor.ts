// A second model on the same images. It is judged on the drawn images alone: people also label the alarms of the first model,
// but not those of the second.

import {
  type AuditLabels,
  GroupDraw,
  type Monitoring,
  type MonitorOptions,
  monitor,
  monitorPair,
  type PairedLine,
  type PairedMonitoring,
} from '@anyclass/core';
import type { LoggedLine } from './predictionLog.js';

/** What the drawn images say about the second model, and how it differs from the first. */
export interface ShadowedMonitoring
  extends Pick<
    Monitoring,
    'verdict' | 'rate' | 'estimate' | 'capital' | 'certificate' | 'images' | 'audited'
  > {
  readonly model?: string;
  readonly version?: string;
  /** The second model's shares minus the first's, with intervals that hold at any time. */
  readonly difference: PairedMonitoring;
}

export interface ShadowMonitor {
  add(line: LoggedLine): void;
  /** Undefined if no second model answered. */
  result(): ShadowedMonitoring | undefined;
}

/** Creates a monitor of the shadow's answers. */
export function createShadowMonitor(labels: AuditLabels, options: MonitorOptions): ShadowMonitor {
  const { confidence } = options;
  let lines = new GroupDraw<PairedLine>();
  let of: Pick<ShadowedMonitoring, 'model' | 'version'> | undefined;
  return {
    add({ shadow, ...line }) {
      if (!shadow) return;
      const { model, version, isNegative, outcome } = shadow;
      if (of?.model !== model || of?.version !== version) {
        // Another shadow starts anew.
        of = { ...(model !== undefined && { model }), ...(version !== undefined && { version }) };
        lines = new GroupDraw();
      }
      const { id, group, audit } = line;
      if (!audit || !(audit.drawn || group !== undefined)) return;
      const shadowed = { isNegative, outcome };
      lines.add({ id, isNegative: line.isNegative, outcome: line.outcome, audit, shadow: shadowed }, line);
    },
    result() {
      if (!of) return undefined;
      const drawn = lines.items().filter(({ audit }) => audit?.drawn);
      // Among drawn images, each was looked at.
      const answers = drawn.map(({ id, shadow }) => ({ id, ...shadow, audit: { q: 1, drawn: true } }));
      const { verdict, rate, estimate, capital, certificate, images, audited } = monitor(
        answers,
        labels,
        options,
      );
      const difference = monitorPair(drawn, labels, confidence === undefined ? {} : { confidence });
      return { ...of, verdict, rate, estimate, capital, certificate, images, audited, difference };
    },
  };
}
