import { heatStops } from '@anyclass/kit';

/** The script of the page to try images. Everything shown is set as text, never as HTML. */
export const tryScript = `
const byId = (id) => document.getElementById(id);
const results = byId('results');
const state = byId('state');
const drop = byId('drop');
const percent = (p) => (100 * p).toFixed(1) + '%';
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

function row(name, probability, threshold, isPredicted, title) {
  const predicted = isPredicted ? ' predicted' : '';
  const bar = element('div', 'meter' + predicted);
  const filled = element('i');
  filled.style.width = 100 * probability + '%';
  bar.append(filled);
  if (threshold !== null) {
    const mark = element('b');
    mark.style.left = 100 * Math.min(1, threshold) + '%';
    bar.append(mark);
  }
  bar.title = title;
  return [element('span', 'name' + predicted, name), bar, element('span', '', percent(probability))];
}

const mostRows = 12;
/** Presence with its gate, then the classes with their thresholds. */
function bars({ presence, probabilities, thresholds, labels }) {
  const list = element('div', 'bars');
  const { probability, gate, passes } = presence;
  const said = 'The probability that any class is present is ' + (passes ? 'at or above' : 'below') + ' the gate of ' + percent(gate);
  list.append(...row('Any class present', probability, gate, passes, said), element('span', 'rule'));
  const sorted = Object.entries(probabilities).sort((a, b) => Number(labels.includes(b[0])) - Number(labels.includes(a[0])) || b[1] - a[1]);
  const rows = sorted.map(([name, value]) => row(name, value, thresholds[name], labels.includes(name),
    thresholds[name] === null ? name + ' is never predicted' : name + ' is predicted at ' + percent(thresholds[name]) + ' or above'));
  const few = Math.max(mostRows, labels.length);
  list.append(...rows.slice(0, few).flat());
  if (rows.length > few) {
    const more = element('button', 'button quiet-button', 'Show ' + (rows.length - few) + ' more');
    more.type = 'button';
    more.addEventListener('click', () => { list.append(...rows.slice(few).flat()); more.remove(); });
    list.append(more);
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
  const scale = element('p', 'scale');
  const choose = (chosen) => {
    scale.replaceChildren();
    buttons.forEach((button, i) => button.setAttribute('aria-pressed', String(i === chosen)));
    canvas.hidden = chosen < 0;
    if (chosen < 0) return;
    const { rows, columns, values, peak, unit } = explanations[chosen];
    if (peak === 0) scale.append('No evidence anywhere.');
    else scale.append('0', element('span', 'ramp'), peak.toPrecision(2) + ', ' + unit);
    canvas.width = columns;
    canvas.height = rows;
    const context = canvas.getContext('2d');
    const pixels = context.createImageData(columns, rows);
    values.forEach((value, i) => pixels.data.set(heatColor(peak === 0 ? 0 : Math.min(1, value / peak)), 4 * i));
    context.putImageData(pixels, 0, 0);
  };
  choose(explanations.length > 1 ? 1 : 0);
  line.append(element('span', '', 'Where:'), ...buttons);
  return [line, scale];
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
  if (first && first.explanations) frame.append(...where(seen, first.explanations));
  const side = element('div');
  side.append(element('h2', '', file.name || 'image'));
  part.append(frame, side);
  if (shown.error) {
    side.append(element('p', 'failed', shown.error.message));
  } else {
    const [prediction] = shown.answer.predictions;
    const labels = element('div', 'labels');
    if (prediction.outcome === 'review') labels.append(element('span', 'tag review', 'To review'));
    else if (prediction.isNegative) labels.append(prediction.outcome === 'alarm' ? element('span', 'tag chosen', 'Alarm, no class') : element('span', 'tag clear', 'Nothing found'));
    for (const label of prediction.labels) labels.append(element('span', 'tag chosen', label));
    const details = element('details');
    details.append(element('summary', '', shown.milliseconds.toFixed(0) + ' ms · version ' + shown.answer.version + ' · JSON'), element('pre', '', JSON.stringify(shown.answer, (key, value) => key === 'values' || key === 'seen' ? '…' : value, 2)));
    side.append(labels, bars(prediction), details);
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
for (const button of document.querySelectorAll('.example')) button.addEventListener('click', () => {
  const chosen = byId('model');
  if (chosen) chosen.value = button.dataset.model;
  const bytes = Uint8Array.from(atob(button.querySelector('img').src.split(',')[1]), (letter) => letter.charCodeAt(0));
  take([new File([bytes], button.dataset.file, { type: 'image/jpeg' })]);
});
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
