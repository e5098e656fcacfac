import { type Decision, describeBothPromises } from '@anyclass/core';

/** The report of a decision whose promises do not count, because rows are involved that the fit or the model already knew. */
export function withoutPromise(report: Decision['report']): Decision['report'] {
  const withheld = { holds: false, reason: 'shared rows' } as const;
  const { guarantee, triage } = report;
  const both = describeBothPromises(report);
  return {
    ...report,
    falseAlarmBound: null,
    remarks: report.remarks.filter((remark) => remark !== both),
    guarantee: guarantee.holds ? withheld : guarantee,
    triage: triage && { ...triage, guarantee: triage.guarantee.holds ? withheld : triage.guarantee },
  };
}
