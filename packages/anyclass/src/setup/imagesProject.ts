// packages/anyclass/native/images: the cache reader, and the JPEG decoder if libjpeg-turbo is available or
// can be installed. Without it, setup continues, and sharp decodes JPEG like everything else, more slowly.

import { spawnSync } from 'node:child_process';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { temporaryFolder } from '@anyclass/files';
import { type BuildPlan, type Log, type NativeProject, programPath } from '@anyclass/torch/setup';
import { imagesLibrary } from '../data/images/decoding/imagesAddon.js';

export const imagesProject: NativeProject = {
  library: imagesLibrary,
  title: 'the image reader',
  plan({ compiler, log }) {
    const withJpeg = process.env['ANYCLASS_JPEG'] !== 'sharp' && findOrInstallLibjpeg(compiler, log);
    return planFor(withJpeg);
  },
  // Debian and Ubuntu ship different versions of libjpeg-turbo, and a machine may have none.
  portablePlans: () => [planFor(true), planFor(false)],
};

function planFor(withJpeg: boolean): BuildPlan {
  return {
    uses: (file) => withJpeg || withoutJpeg.includes(file),
    // No fused multiply-adds, so that every processor gives the same bytes.
    flags: ['-O3', '-ffp-contract=off', '-pthread', ...(withJpeg ? ['-DANYCLASS_LIBJPEG'] : [])],
    linkFlags: ['-pthread', ...(withJpeg ? ['-ljpeg'] : [])],
  };
}

const withoutJpeg = ['addon.cc', 'checksum.cc', 'readRows.cc', 'workThreads.cc'];

// Exits with 1 if headers and library have different versions, which libjpeg checks on creation.
const trial = `
#include <cstdio>
#include <jpeglib.h>
#ifndef LIBJPEG_TURBO_VERSION
#error not libjpeg-turbo
#endif
int main() {
  jpeg_error_mgr manager;
  jpeg_decompress_struct info;
  info.err = jpeg_std_error(&manager);
  jpeg_create_decompress(&info);
  jpeg_destroy_decompress(&info);
}
`;

function findOrInstallLibjpeg(compiler: string, log: Log): boolean {
  if (hasLibjpeg(compiler) || (installLibjpeg(log) && hasLibjpeg(compiler))) return true;
  log(
    "no working libjpeg-turbo was found, so sharp decodes JPEG (Debian, Ubuntu: 'apt-get install libjpeg-dev', then run setup again)",
  );
  return false;
}

/** Whether a program that uses libjpeg compiles, links and runs. */
function hasLibjpeg(compiler: string): boolean {
  const folder = temporaryFolder('anyclass-setup');
  const program = join(folder, 'trial');
  try {
    // Their output is not shown, because spawnSync captures it.
    const compiled = spawnSync(compiler, ['-x', 'c++', '-', '-o', program, '-ljpeg'], { input: trial });
    return compiled.status === 0 && spawnSync(program).status === 0;
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** Tries to install libjpeg, but not for long: a machine without a network must not wait for one. */
function installLibjpeg(log: Log): boolean {
  if (process.getuid?.() !== 0 || !programPath('apt-get')) return false;
  const options = '-q -o Acquire::Retries=0 -o Acquire::http::Timeout=10 -o Acquire::https::Timeout=10';
  const install = `apt-get install -y ${options} --no-install-recommends libjpeg-dev`;
  log(install);
  const result = spawnSync('sh', ['-c', `${install} || (apt-get update ${options} && ${install})`], {
    stdio: 'ignore',
    env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' },
    timeout: 90_000,
  });
  return result.status === 0;
}
