// Diagnoses the engine on this machine: what it runs on, and what is wrong.

import { realpathSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { engineBuild } from '@anyclass/torch/builds';
import { explainSetup, type Try } from '@anyclass/torch/setup';
import { messageOf } from '../errors/reasonOf.js';
import { nativeProjects, prebuiltLibraries } from '../setup/nativeProjects.js';

export interface Diagnosis {
  readonly node: string;
  readonly libtorch: {
    readonly version: string;
    readonly place: string;
    readonly origin: string;
    /** The compiler or package that the native libraries come from. */
    readonly builder: string;
  } | null;
  readonly blas: string | null;
  readonly threads: number | null;
  readonly cores: number;
  readonly devices: readonly string[];
  /** Why there is no GPU; null if there is one. */
  readonly noCuda: string | null;
  readonly warnings: readonly string[];
  /** What setup would do here: every way in order, its outcome and the reason. */
  readonly setup: readonly Try[];
  /** Why nothing can be computed; null if everything works. */
  readonly failure: string | null;
}

const testedVersions = ['1.13', '2.11', '2.13'];

export async function diagnose(): Promise<Diagnosis> {
  const base = {
    node: process.versions.node,
    cores: availableParallelism(),
    setup: explainSetup({ projects: nativeProjects, prebuilt: prebuiltLibraries }),
  };
  try {
    const torch = await import('@anyclass/torch');
    const { version, threads, blas, blasKernels, buildConfiguration } = torch.engineInfo();
    const { libtorch: linked, builder } = engineBuild();
    const libtorch = { version, place: linked.lib, origin: linked.origin, builder };
    const cuda = torch.cudaStatus();
    const blasName = blas === '' ? 'built into libtorch' : realpathSync(blas);
    return {
      ...base,
      libtorch,
      blas: blasKernels === '' ? blasName : `${blasName} with kernels for ${blasKernels}`,
      threads,
      devices: ['cpu', ...cuda.devices],
      noCuda: cuda.unavailable,
      warnings: [
        ...versionWarnings(version),
        ...blasWarnings(blasName, buildConfiguration),
        ...kernelWarnings(blasKernels),
        ...(threads === 1 && base.cores > 1
          ? [`one thread on ${base.cores} cores: OMP_NUM_THREADS is set`]
          : []),
      ],
      failure: null,
    };
  } catch (error) {
    const failure = messageOf(error);
    return {
      ...base,
      libtorch: null,
      blas: null,
      threads: null,
      devices: [],
      noCuda: null,
      warnings: [],
      failure,
    };
  }
}

/** Formats the diagnosis as lines of text, the result first. */
export function diagnosisText(diagnosis: Diagnosis): string {
  const { libtorch, noCuda } = diagnosis;
  const result = diagnosis.warnings.length === 0 ? 'OK' : 'OK, with warnings';
  const rows: [string, string][] = [
    diagnosis.failure ? ['FAILED', diagnosis.failure] : ['result', result],
    ['node', diagnosis.node],
  ];
  if (libtorch) {
    rows.push(['libtorch', `${libtorch.version} in ${libtorch.place} (${libtorch.origin})`]);
    rows.push(['built by', libtorch.builder]);
    rows.push(['BLAS', diagnosis.blas ?? '']);
    rows.push(['threads', `${diagnosis.threads} on ${diagnosis.cores} cores`]);
    rows.push(['devices', diagnosis.devices.join(', ') + (noCuda ? ` (no GPU: ${noCuda})` : '')]);
  }
  for (const [i, { way, outcome, reason }] of diagnosis.setup.entries()) {
    rows.push([i === 0 ? 'setup' : '', `${way}: ${outcome}, ${reason}`]);
  }
  for (const warning of diagnosis.warnings) rows.push(['warning', warning]);
  return rows.map(([name, text]) => `${name.padEnd(10)}${text}`).join('\n');
}

function versionWarnings(version: string): string[] {
  if (testedVersions.some((tested) => version.startsWith(`${tested}.`))) return [];
  return [`libtorch ${version} is untested; tested versions are ${testedVersions.join(', ')}`];
}

/** OpenBLAS knows the processor; whoever names another one gives speed away, often without knowing it. */
function kernelWarnings(kernels: string): string[] {
  const named = process.env['OPENBLAS_CORETYPE'];
  if (kernels === '' || !named) return [];
  return [
    `OPENBLAS_CORETYPE=${named} chooses OpenBLAS's kernels; without it, matrix products may be up to twice as fast`,
  ];
}

function blasWarnings(blas: string, configuration: string): string[] {
  const reference =
    /\/blas\/|librefblas|libblas\.so\.3\.\d+\.\d+$/.test(blas) && !configuration.includes('BLAS_INFO=mkl');
  if (!reference) return [];
  return [
    `${blas} is the reference BLAS, about 40 times slower than OpenBLAS; apt-get install -y libopenblas0-openmp`,
  ];
}
