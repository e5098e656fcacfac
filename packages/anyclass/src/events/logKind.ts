/** Logs of a run that other programs read. */
export const logKinds = ['csv', 'tensorboard', 'mlflow'] as const;
export type LogKind = (typeof logKinds)[number];
