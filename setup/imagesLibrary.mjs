// Builds packages/anyclass/native/images: what reads caches, and the JPEG decoder where libjpeg-turbo is at hand or can be
// installed. Without it sharp decodes JPEG like everything else, more slowly; set-up goes on.

import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { buildNativeLibrary } from './nativeLibrary.mjs';
import { output, root } from './shell.mjs';

const headers =
  '#include <cstdio>\n#include <jpeglib.h>\n#ifndef LIBJPEG_TURBO_VERSION\n#error not libjpeg-turbo\n#endif\n';
const withoutJpeg = ['addon.cc', 'readRows.cc', 'workThreads.cc'];

export async function buildImagesLibrary() {
  const withJpeg = process.env['ANYCLASS_JPEG'] !== 'sharp' && findOrInstallLibjpeg();
  await buildNativeLibrary({
    title: withJpeg ? 'the reader of images' : 'the reader of images, without JPEG',
    sourceFolder: 'packages/anyclass/native/images',
    library: 'packages/anyclass/build/images/images.node',
    uses: (file) => withJpeg || withoutJpeg.includes(file),
    // No fused multiplications: the same bytes on every processor.
    flags: [
      '-O3',
      '-ffp-contract=off',
      '-pthread',
      '-I',
      join(root, 'node_modules/node-api-headers/include'),
      ...(withJpeg ? ['-DANYCLASS_LIBJPEG'] : []),
    ],
    linkFlags: ['-pthread', ...(withJpeg ? ['-ljpeg'] : [])],
  });
}

function findOrInstallLibjpeg() {
  if (hasLibjpeg() || (installLibjpeg() && hasLibjpeg())) return true;
  console.log(
    "setup: no libjpeg-turbo here, so sharp decodes JPEG (Debian, Ubuntu: 'apt-get install libjpeg-dev', then set up again)",
  );
  return false;
}

/** Whether a program with its headers compiles and links. */
function hasLibjpeg() {
  const compiler = process.env['CXX'] ?? 'g++';
  const program = `${headers}int main() { jpeg_error_mgr manager; return jpeg_std_error(&manager) == nullptr; }\n`;
  const parameters = ['-x', 'c++', '-', '-o', '/dev/null', '-ljpeg'];
  return (
    spawnSync(compiler, parameters, { input: program, stdio: ['pipe', 'ignore', 'ignore'] }).status === 0
  );
}

/** Tries, but not for long: a machine without a network shall not wait for one. */
function installLibjpeg() {
  if (process.getuid?.() !== 0 || !output('sh', ['-c', 'command -v apt-get'])) return false;
  const options = '-q -o Acquire::Retries=0 -o Acquire::http::Timeout=10 -o Acquire::https::Timeout=10';
  const install = `apt-get install -y ${options} --no-install-recommends libjpeg-dev`;
  console.log(`setup: ${install}`);
  const result = spawnSync('sh', ['-c', `${install} || (apt-get update ${options} && ${install})`], {
    stdio: 'ignore',
    env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' },
    timeout: 90_000,
  });
  return result.status === 0;
}
