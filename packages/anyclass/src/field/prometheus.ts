import type { MissedStream, MonitoredLogs } from './monitorLogs.js';

/**
 * The result in Prometheus' text format, for the textfile collector of its node exporter.
 *
 * @example
 * prometheusText(result) // '# HELP anyclass_promise_broken …'
 */
export function prometheusText(result: MonitoredLogs): string {
  const { model = '', version = '', falseAlarms, rate, capital, certificate, threshold, verdict } = result;
  const { images, audited, unlabeled, alarmShare, freeBound, estimate, missed } = result;
  const labels = `{model="${escapedLabel(model)}",version="${escapedLabel(version)}"}`;
  const metrics: Metric[] = [
    ['promise_broken', '1 if the promised false-alarm rate is broken', Number(verdict === 'broken')],
    ['promise_holds', '1 if the promised false-alarm rate is certified', Number(verdict === 'holds')],
    ['promised_false_alarm_rate', 'The promised share of negatives that alarm', falseAlarms],
    ['false_alarm_rate_low', 'Lower bound of the false-alarm rate', rate.low],
    ['false_alarm_rate_high', 'Upper bound of the false-alarm rate', rate.high],
    ['false_alarm_rate_estimate', 'Estimate of the false-alarm rate', estimate],
    ['false_alarm_rate_free_bound', 'Bound of the false-alarm rate that needs no labels', freeBound],
    ['evidence_against_promise', 'Capital bet against the promise', capital],
    ['evidence_for_promise', 'Capital bet for the promise', certificate],
    ['evidence_threshold', 'Capital at which a statement counts', threshold],
    ['alarm_share', 'Share of images that alarm', alarmShare],
    ['images', 'Images that count', images],
    ['audited_images', 'Images with a label', audited],
    ['unlabeled_audits', 'Alarms and drawn images without a label', unlabeled],
    ...(missed ? missedMetrics(missed) : []),
  ];
  return metrics
    .filter(([, , value]) => value !== null)
    .map(([name, help, value]) => {
      const full = `anyclass_field_${name}`;
      return `# HELP ${full} ${help}\n# TYPE ${full} gauge\n${full}${labels} ${value}\n`;
    })
    .join('');
}

type Metric = [name: string, help: string, value: number | null];

/** The promise on cleared positives, where there is one. */
function missedMetrics({ limit, rate, verdict, capital, certificate, estimate }: MissedStream): Metric[] {
  return [
    [
      'missed_promise_broken',
      '1 if the promised share of cleared positives is broken',
      Number(verdict === 'broken'),
    ],
    [
      'missed_promise_holds',
      '1 if the promised share of cleared positives is certified',
      Number(verdict === 'holds'),
    ],
    ['promised_missed_rate', 'The promised share of positives that are cleared', limit],
    ['missed_rate_low', 'Lower bound of the share of positives that are cleared', rate.low],
    ['missed_rate_high', 'Upper bound of the share of positives that are cleared', rate.high],
    ['missed_rate_estimate', 'Estimate of the share of positives that are cleared', estimate],
    ['evidence_against_missed_promise', 'Capital bet against the promise on cleared positives', capital],
    ['evidence_for_missed_promise', 'Capital bet for the promise on cleared positives', certificate],
  ];
}

function escapedLabel(text: string): string {
  return text.replace(/[\\"]/g, '\\$&').replaceAll('\n', '\\n');
}
