// The page: loads the model, accepts photos, and shows the predictions.

import type { Prediction, Predictor } from '@anyclass/browser';
import { resultsCsv } from './csv.js';
import { element } from './elements.js';
import { acceptPhotos } from './intake.js';
import { loadPredictor } from './loadPredictor.js';
import { startOffline } from './offline.js';
import { type PhotoCard, photoCard } from './photoCard.js';

interface Result {
  readonly name: string;
  readonly prediction: Prediction;
}

const photos = element('photos', HTMLDivElement);
const tools = element('tools', HTMLDivElement);
const results: Result[] = [];
const opened = start();

acceptPhotos(element('drop', HTMLLabelElement), element('files', HTMLInputElement), (files) => {
  for (const file of files) {
    const card = photoCard(file);
    photos.prepend(card.element);
    tools.hidden = false;
    void examine(file, card);
  }
});

element('save', HTMLButtonElement).addEventListener('click', () => {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(new Blob([resultsCsv(results)], { type: 'text/csv' }));
  link.download = 'predictions.csv';
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
});

element('clear', HTMLButtonElement).addEventListener('click', () => {
  photos.replaceChildren();
  results.length = 0;
  tools.hidden = true;
});

async function start(): Promise<Predictor> {
  const loading = element('loading', HTMLDivElement);
  try {
    const offline = await startOffline();
    const predictor = await loadPredictor(
      element('progress', HTMLProgressElement),
      element('stage', HTMLSpanElement),
    );
    element('backend', HTMLSpanElement).textContent = backendText(predictor);
    element('offline', HTMLSpanElement).textContent = offline;
    document.body.dataset['state'] = 'ready';
    return predictor;
  } catch (error) {
    const problem = element('problem', HTMLParagraphElement);
    problem.textContent = messageOf(error);
    problem.hidden = false;
    document.body.dataset['state'] = 'failed';
    throw error;
  } finally {
    loading.hidden = true;
  }
}

async function examine(file: File, card: PhotoCard): Promise<void> {
  try {
    const predictor = await opened;
    const prediction = await predictor.predict(file);
    results.push({ name: file.name, prediction });
    card.show(prediction);
  } catch (error) {
    card.fail(messageOf(error));
  }
}

function backendText({ backend, remarks }: Predictor): string {
  if (backend === 'webgpu') return 'Runs on the GPU (WebGPU).';
  return ['Runs on the CPU (WebAssembly)', ...remarks].map((remark) => `${remark}.`).join(' ');
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
