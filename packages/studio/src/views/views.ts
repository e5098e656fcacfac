// The views of the page. To add one: a folder with `view.tsx`, and a line here. It is loaded when it is first shown.

import type { ComponentType } from 'preact';

export interface View {
  /** In the address: ?view=NAME. */
  readonly name: string;
  readonly title: string;
  /** Whether it is about one run, which the rail chooses. */
  readonly ofRun: boolean;
  readonly load: () => Promise<ComponentType>;
}

export const views: readonly View[] = [
  {
    name: 'runs',
    title: 'Runs',
    ofRun: false,
    load: async () => (await import('./runs/view.js')).RunsView,
  },
  {
    name: 'run',
    title: 'Run',
    ofRun: true,
    load: async () => (await import('./run/view.js')).RunView,
  },
  {
    name: 'decide',
    title: 'Decide',
    ofRun: true,
    load: async () => (await import('./decide/view.js')).DecideView,
  },
  {
    name: 'look',
    title: 'Look',
    ofRun: true,
    load: async () => (await import('./look/view.js')).LookView,
  },
  {
    name: 'mend',
    title: 'Mend',
    ofRun: true,
    load: async () => (await import('./mend/view.js')).MendView,
  },
  {
    name: 'compare',
    title: 'Compare',
    ofRun: false,
    load: async () => (await import('./compare/view.js')).CompareView,
  },
  {
    name: 'try',
    title: 'Try',
    ofRun: true,
    load: async () => (await import('./try/view.js')).TryView,
  },
];
