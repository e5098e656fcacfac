// What the server and the page tell each other about labels that people correct or add.

/** The labels of an image by class: 1 present, 0 absent, null unknown. */
export type Labels = Readonly<Record<string, 0 | 1 | null>>;

/** What someone saved about an image. */
export interface SavedLabels {
  readonly name: string;
  readonly labels: Labels;
  readonly author: string;
  readonly time: string;
}

/** To save labels, or to take them back; a list of them is saved whole or not at all. */
export interface SaveRequest {
  readonly name: string;
  /** Null removes what was saved, so that the data's own labels count again. */
  readonly labels: Labels | null;
  readonly author: string;
  /** What was saved before, as the page knows it: nothing is saved if someone else changed it meanwhile. */
  readonly replaces: Labels | null;
}

/** What an image had before something was saved about it, and has now. */
export interface SavedChange {
  readonly name: string;
  readonly before: SavedLabels | null;
  readonly now: SavedLabels;
}

/** What can be labeled besides the run's own images. */
export interface QueueEntry {
  /** Its path below the folders. */
  readonly id: string;
  /** `mine`: likely false alarms; `select`: what to label next; `audit`: what a server drew. */
  readonly kind: 'mine' | 'select' | 'audit';
  readonly count: number;
}

export interface MendState {
  /** Where labels are saved. */
  readonly file: string;
  readonly classes: readonly string[];
  readonly saved: readonly SavedLabels[];
  /** Who works here, if the page has no other name. */
  readonly author: string;
}

export interface QueueItem {
  readonly name: string;
  /** What is shown for it, such as the client's name. */
  readonly title: string;
  /** Why it is in the queue: the model's answer; empty for audits, so that it sways nobody. */
  readonly note: string;
  readonly hasImage: boolean;
}

/** A difference between two runs on the same rows, with its interval. */
export interface RunDifference {
  readonly rows: number;
  readonly metrics: readonly {
    readonly name: string;
    readonly before: number;
    readonly after: number;
    readonly value: number;
    readonly low: number;
    readonly high: number;
  }[];
}
