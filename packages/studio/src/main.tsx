import { render } from 'preact';
import { showMarks } from './parts/visibleText.js';
import { Shell } from './shell.js';
import { connect } from './state/runs.js';

showMarks();
connect();
render(<Shell />, document.getElementById('app')!);
