import { heatStops } from '@anyclass/kit';

/** The script of the page to try images. Everything shown is set as text, never as HTML. */
export const tryScript = `
const byId = (id) => document.getElementById(id);
const results = byId('results');
const state = byId('state');
const drop = byId('drop');
const percent = (p) => (100 * p).toFixed(p < 0.0995 ? 2 : 1) + '%';
const element = (name, className, text) => {
  const made = document.createElement(name);
  if (className) made.className = className;
  if (text !== undefined) made.textContent = text;
  return made;
};
const token = byId('token');
if (token) token.value = sessionStorage.getItem('anyclass-token') ?? '';

async function predict(file) {
  const chosen = byId('model');
  const explains = 'explains' in (chosen ? chosen.selectedOptions[0] : byId('try')).dataset;
  const query = '?explain=' + Number(explains) + (chosen ? '&model=' + encodeURIComponent(chosen.value) : '');
  const headers = { 'Content-Type': file.type.startsWith('image/') ? file.type : 'application/octet-stream' };
  if (token && token.value) {
    headers.Authorization = 'Bearer ' + token.value;
    sessionStorage.setItem('anyclass-token', token.value);
  }
  const start = performance.now();
  const response = await fetch('v1/predict' + query, { method: 'POST', headers, body: file });
  const answer = await response.json();
  if (!response.ok) throw new Error(answer.title + ': ' + answer.detail);
  return { answer, milliseconds: performance.now() - start };
}

function bars({ probabilities, thresholds, labels }) {
  const list = element('div', 'bars');
  const sorted = Object.entries(probabilities).sort((a, b) => b[1] - a[1]);
  for (const [name, probability] of sorted) {
    const threshold = thresholds[name];
    const predicted = labels.includes(name) ? ' predicted' : '';
    const bar = element('div', 'meter' + predicted);
    const filled = element('i');
    filled.style.width = 100 * probability + '%';
    bar.append(filled);
    if (threshold !== null) {
      const mark = element('b');
      mark.style.left = 100 * threshold + '%';
      bar.append(mark);
    }
    bar.title = threshold === null ? 'never predicted' : 'threshold ' + percent(threshold);
    list.append(element('span', 'name' + predicted, name), bar, element('span', '', percent(probability)));
  }
  return list;
}

const stops = ${JSON.stringify(heatStops)};
function heatColor(value) {
  const after = Math.max(1, stops.findIndex(([at]) => at >= value));
  const [from, to] = [stops[after - 1], stops[after]];
  const share = (value - from[0]) / (to[0] - from[0]);
  return [1, 2, 3, 4].map((c) => from[c] + (to[c] - from[c]) * share);
}

/** Buttons that lay a heat map over the image. */
function where(seen, explanations) {
  const canvas = element('canvas');
  canvas.setAttribute('aria-hidden', 'true');
  seen.append(canvas);
  const line = element('div', 'where');
  const buttons = explanations.map((explanation) => {
    const button = element('button', 'button', explanation.class ?? 'Any class');
    button.type = 'button';
    button.title = 'Where: 0 to ' + explanation.peak.toPrecision(2) + ', ' + explanation.unit;
    button.addEventListener('click', () => choose(button.getAttribute('aria-pressed') === 'true' ? -1 : buttons.indexOf(button)));
    return button;
  });
  const choose = (chosen) => {
    buttons.forEach((button, i) => button.setAttribute('aria-pressed', String(i === chosen)));
    canvas.hidden = chosen < 0;
    if (chosen < 0) return;
    const { rows, columns, values, peak } = explanations[chosen];
    canvas.width = columns;
    canvas.height = rows;
    const context = canvas.getContext('2d');
    const pixels = context.createImageData(columns, rows);
    values.forEach((value, i) => pixels.data.set(heatColor(peak === 0 ? 0 : Math.min(1, value / peak)), 4 * i));
    context.putImageData(pixels, 0, 0);
  };
  choose(explanations.length > 1 ? 1 : 0);
  line.append(element('span', '', 'Where:'), ...buttons);
  return line;
}

function show(file, shown) {
  const part = element('section', 'result');
  const [first] = shown.error ? [] : shown.answer.predictions;
  const frame = element('div');
  const seen = element('div', 'seen');
  const image = element('img');
  image.alt = '';
  // Browsers cannot show scans and 16-bit images; the server sends what the model saw.
  image.onerror = () => {
    image.onerror = () => image.remove();
    if (first && first.seen) image.src = first.seen;
    else image.remove();
  };
  image.src = URL.createObjectURL(file);
  seen.append(image);
  frame.append(seen);
  if (first && first.explanations) frame.append(where(seen, first.explanations));
  const side = element('div');
  side.append(element('h2', '', file.name || 'image'));
  part.append(frame, side);
  if (shown.error) {
    side.append(element('p', 'failed', shown.error.message));
  } else {
    const [prediction] = shown.answer.predictions;
    const labels = element('div', 'labels');
    if (prediction.isNegative) labels.append(element('span', 'negative', 'Nothing found'));
    for (const label of prediction.labels) labels.append(element('span', '', label));
    const { probability, gate, passes } = prediction.presence;
    const presence = element('p', 'presence', 'Any class present: ' + percent(probability) +
      (gate > 0 ? ', gate ' + percent(gate) + (passes ? ' passed' : ' not passed') : '') + ' · ' +
      shown.milliseconds.toFixed(0) + ' ms · version ' + shown.answer.version);
    const details = element('details');
    details.append(element('summary', '', 'JSON'), element('pre', '', JSON.stringify(shown.answer, (key, value) => key === 'values' || key === 'seen' ? '…' : value, 2)));
    side.append(labels, presence, bars(prediction), details);
  }
  results.prepend(part);
}

async function take(files) {
  let done = 0;
  for (const file of files) {
    state.textContent = 'Predicting ' + (file.name || 'image') + ' (' + ++done + ' of ' + files.length + ')…';
    try {
      show(file, await predict(file));
    } catch (error) {
      show(file, { error });
    }
  }
  state.textContent = done === 0 ? 'No image found.' : 'Done: ' + done + (done === 1 ? ' image.' : ' images.');
}

for (const text of document.querySelectorAll('.command pre')) text.textContent = text.textContent.replace('http://HOST', location.origin);
byId('files').addEventListener('change', (event) => {
  take([...event.target.files]);
  event.target.value = '';
});
byId('try').addEventListener('submit', (event) => event.preventDefault());
for (const type of ['dragenter', 'dragover']) document.addEventListener(type, (event) => { event.preventDefault(); drop.classList.add('over'); });
for (const type of ['dragleave', 'drop']) document.addEventListener(type, (event) => { event.preventDefault(); drop.classList.remove('over'); });
document.addEventListener('drop', (event) => take([...event.dataTransfer.files]));
document.addEventListener('paste', (event) => { if (event.clipboardData.files.length > 0) take([...event.clipboardData.files]); });
`;
