/** The script of the page to label images. Everything shown is set as text, never as HTML. */
export const auditScript = `{
const byId = (id) => document.getElementById(id);
const token = new URLSearchParams(location.hash.slice(1)).get('token') ?? '';
const headers = { Authorization: 'Bearer ' + token };
const [picture, absent, state, name, counts, choices, filter] =
  ['picture', 'absent', 'state', 'name', 'counts', 'choices', 'filter'].map(byId);
let items = [];
let classes = [];
let at = 0;
let saving = Promise.resolve();
let shownUrl = '';

const told = (text, isProblem = false) => {
  state.textContent = text;
  state.classList.toggle('failed', isProblem);
};
async function request(path, options = {}) {
  const response = await fetch(path, { ...options, headers: { ...headers, ...options.headers } });
  if (!response.ok) throw new Error((await response.json()).detail);
  return response;
}
const isDone = ({ answer }) => answer !== null;
const answered = () => items.filter(isDone).length;

function drawChoices() {
  const { answer } = items[at];
  for (const button of choices.querySelectorAll('button')) {
    const { kind, name: own } = button.dataset;
    const isOn = kind === 'classes' ? answer?.kind === 'classes' && answer.classes.includes(own) : answer?.kind === kind;
    button.setAttribute('aria-pressed', String(isOn));
  }
  counts.textContent = (at + 1) + ' of ' + items.length + ', ' + answered() + ' labeled';
  byId('meter').style.width = 100 * answered() / items.length + '%';
}

// As reports write it.
function timeText(time) {
  return time === undefined || Number.isNaN(Date.parse(time)) ? time : new Date(time).toISOString().slice(0, 16).replace('T', ' ') + ' UTC';
}

async function show(place) {
  at = Math.max(0, Math.min(items.length - 1, place));
  const item = items[at];
  name.textContent = item.name ?? item.id;
  byId('about').textContent = [timeText(item.time), item.model, item.group].filter((part) => part !== undefined).join(' · ');
  drawChoices();
  picture.hidden = true;
  absent.hidden = item.hasImage;
  if (!item.hasImage) return;
  try {
    const blob = await (await request('images/' + encodeURIComponent(item.id))).blob();
    if (items[at] !== item) return;
    URL.revokeObjectURL(shownUrl);
    shownUrl = URL.createObjectURL(blob);
    picture.src = shownUrl;
    picture.alt = item.name ?? item.id;
    picture.hidden = false;
  } catch (error) {
    absent.hidden = false;
    told(error.message, true);
  }
}

function save(item, answer) {
  const before = item.answer;
  item.answer = answer;
  drawChoices();
  told('Saving…');
  saving = saving.then(async () => {
    try {
      await request('labels/' + encodeURIComponent(item.id), { method: 'POST', headers: { 'Content-Type': 'application/json' }, body: JSON.stringify(answer) });
      told(answered() === items.length ? 'All images are labeled and saved.' : 'Saved.');
    } catch (error) {
      item.answer = before;
      drawChoices();
      told('Not saved: ' + error.message, true);
    }
  });
}

function choose(kind, own) {
  const item = items[at];
  if (kind !== 'classes') {
    save(item, { kind });
    show(at + 1);
    return;
  }
  const before = item.answer?.kind === 'classes' ? item.answer.classes : [];
  const chosen = before.includes(own) ? before.filter((each) => each !== own) : [...before, own];
  save(item, chosen.length === 0 ? { kind: 'unsure' } : { kind: 'classes', classes: chosen });
}

const nextOpen = () => {
  const open = items.findIndex((item, i) => i > at && !isDone(item));
  return open >= 0 ? open : items.findIndex((item) => !isDone(item));
};

document.addEventListener('keydown', (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || items.length === 0) return;
  if (event.target === filter && event.key !== 'Escape') return;
  const key = event.key.toLowerCase();
  if (key === 'arrowright') show(at + 1);
  else if (key === 'arrowleft') show(at - 1);
  else if (key === 'enter' && event.target.tagName !== 'BUTTON') show(nextOpen() < 0 ? at : nextOpen());
  else if (key === 'n') choose('negative');
  else if (key === 'u') choose('unsure');
  else if (key === 'p') choose('positive');
  else if (/^[1-9]$/.test(key) && Number(key) <= classes.length) choose('classes', classes[Number(key) - 1]);
  else if (key === 'escape') filter.blur();
  else return;
  event.preventDefault();
});
choices.addEventListener('click', (event) => {
  const button = event.target.closest('button');
  if (button) choose(button.dataset.kind, button.dataset.name);
});
byId('back').addEventListener('click', () => show(at - 1));
byId('forward').addEventListener('click', () => show(at + 1));
filter.addEventListener('input', () => {
  const text = filter.value.toLowerCase();
  for (const button of choices.querySelectorAll('[data-name]'))
    button.hidden = !button.dataset.name.toLowerCase().includes(text);
});

const keyed = (button, key) => {
  const mark = document.createElement('kbd');
  mark.textContent = key;
  button.append(mark);
};
async function start() {
  try {
    ({ items, classes } = await (await request('items')).json());
  } catch (error) {
    told('Open the address that the command printed: ' + error.message, true);
    return;
  }
  classes.forEach((own, j) => {
    const button = document.createElement('button');
    button.type = 'button';
    button.className = 'button';
    button.dataset.kind = 'classes';
    button.dataset.name = own;
    button.textContent = own;
    if (j < 9) keyed(button, String(j + 1));
    byId('classes').append(button);
  });
  filter.hidden = classes.length <= 20;
  byId('labeling').hidden = items.length === 0;
  if (items.length === 0) told('Nothing to label yet.');
  else {
    told(answered() === items.length ? 'All images are labeled.' : '');
    await show(Math.max(0, items.findIndex((item) => !isDone(item))));
  }
}
start();
}`;
