// A grammar of hostile HTTP: what a request has, in every wrong way that is easy to write down. The same seed gives
// the same requests.

/**
 * @typedef {{ readonly bytes: Buffer, readonly pause: number, readonly what: string }} HostileRequest
 * `pause`: milliseconds that the connection stays open without the rest of the request.
 */

/** @param {number} seed */
export function random(seed) {
  let state = seed >>> 0 || 1;
  const next = () => {
    // Mulberry32.
    state = (state + 0x6d2b79f5) >>> 0;
    let t = Math.imul(state ^ (state >>> 15), state | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  };
  const below = (/** @type {number} */ limit) => Math.floor(next() * limit);
  /** @template Item @param {readonly Item[]} items @returns {Item} */
  const pick = (items) => /** @type {Item} */ (items[below(items.length)]);
  return { next, below, pick, chance: (/** @type {number} */ share) => next() < share };
}

/**
 * Creates a generator of requests.
 *
 * @param {{ seed: number, model: string, picture: Buffer, bombs: ReadonlyMap<string, Buffer> }} options
 * @returns {() => HostileRequest}
 */
export function grammar({ seed, model, picture, bombs }) {
  const { below, pick, chance } = random(seed);
  const bombList = [...bombs];

  const bytes = (/** @type {number} */ length) =>
    Buffer.from(Array.from({ length }, () => below(256))).toString('latin1');
  const part = () =>
    pick([
      () => '%ff',
      () => '%',
      () => '%00',
      () => '%2e%2e',
      () => '..',
      () => '',
      () => model,
      () => `${model}%2fready`,
      () => 'a'.repeat(below(9000)),
      () => '\u00e9',
      () => '__proto__',
      () => 'constructor',
    ])();
  const target = () =>
    pick([
      () => `/v1/models/${part()}`,
      () => `/v2/models/${part()}/infer`,
      () => `/v2/models/${part()}/versions/${part()}/ready`,
      () => `/v1/predict?model=${part()}`,
      () => `/${part()}/${part()}?${part()}`,
      () => `http://${part()}/${part()}`,
      () => '*',
      () => '//',
      () => `/v1/predict${bytes(below(5)).replaceAll(/[\r\n ]/g, '')}`,
      () => '/v1/predict',
    ])();
  const header = () =>
    pick([
      () => `Host: ${pick(['localhost', 'evil.example', '', '[::1', 'localhost:99999', part()])}`,
      () => `Authorization: ${pick(['Bearer', 'Bearer x', 'Basic eA==', 'x'.repeat(below(4000))])}`,
      () => `Origin: ${pick(['null', 'https://evil.example', 'file://', '', part()])}`,
      () => `X-Request-Id: ${pick(['a', '"', 'x'.repeat(200), '\u0001'])}`,
      () =>
        `Content-Type: ${pick(['image/jpeg', 'application/json', 'multipart/form-data', 'text/\u00fc', '', 'image/svg+xml', 'application/dicom'])}`,
      () => `Content-Length: ${pick(['0', '-1', '1e9', '99999999999', 'x', '5, 5', ' 3'])}`,
      () => `Transfer-Encoding: ${pick(['chunked', 'gzip, chunked', 'identity', 'chunked, chunked', 'x'])}`,
      () => `Expect: ${pick(['100-continue', 'x'])}`,
      () =>
        `Connection: ${pick(['close', 'keep-alive', 'upgrade', 'x'])}\r\nUpgrade: ${pick(['h2c', 'websocket'])}`,
      () => `${bytes(1 + below(4))}: ${bytes(below(20))}`,
      () => `Cookie: ${'a=b; '.repeat(below(500))}`,
      () => ` folded: header`,
    ])();
  /** @type {(depth: number) => string} */
  const value = (depth) =>
    pick([
      () => String(below(1e6) - 5e5),
      () => pick(['1e999', '-0', 'NaN', 'null', 'true', '""', '"\\ud800"', '0x1']),
      () => `"${'A'.repeat(below(2000))}"`,
      () => `[${Array.from({ length: depth > 0 ? below(6) : 0 }, () => value(depth - 1)).join()}]`,
      () => `{"${pick(['image', 'row', '__proto__', 'a'])}":${depth > 0 ? value(depth - 1) : 0}}`,
      () => '['.repeat(below(3000)),
    ])();
  const json = () =>
    pick([
      () => `{"image":${value(2)}}`,
      () => `{"images":[${value(2)},${value(1)}],"model":${value(1)}}`,
      () => `{"rows":[${value(2)}]}`,
      () => `{"images":[${'"",'.repeat(below(3000))}""]}`,
      () =>
        `{"inputs":[{"name":"${pick(['pixels', 'image', 'x'])}","datatype":"${pick(['UINT8', 'BYTES', 'FP32'])}","shape":${value(1)},"data":${value(3)}}]}`,
      () => value(4),
      () => `{"image":"${pick(bombList)[1].subarray(0, 200_000).toString('base64')}"}`,
    ])();
  const form = () => {
    const parts = Array.from({ length: below(chance(0.05) ? 2000 : 5) }, () => {
      const lines = pick([
        () => `Content-Disposition: form-data; name="${part()}"; filename="${part()}"`,
        () => `Content-Disposition: form-data; name="model"`,
        () => `Content-Disposition: ${bytes(below(30))}`,
        () => `Content-Type: image/jpeg`,
        () => header(),
        () => 'x: '.padEnd(below(20_000), 'y'),
      ])();
      return `--x\r\n${lines}\r\n\r\n${pick([() => bytes(below(200)), () => '\r\n--', () => '', () => picture.toString('latin1')])()}\r\n`;
    });
    return `${parts.join('')}${pick(['--x--\r\n', '--x--', '--x', '', '--x--\r\nmore'])}`;
  };

  const message = (
    /** @type {string} */ what,
    /** @type {Buffer} */ body,
    /** @type {string} */ type,
    path = '/v1/predict',
  ) => {
    const head = `POST ${path} HTTP/1.1\r\nHost: localhost\r\nContent-Type: ${type}\r\nConnection: close\r\n`;
    if (chance(0.2)) {
      const size = pick([1, 7, 1000, 70_000]);
      const chunks = [];
      for (let at = 0; at < Math.min(body.length, 500 * size); at += size) {
        const piece = body.subarray(at, at + size);
        chunks.push(Buffer.from(`${piece.length.toString(16)}\r\n`), piece, Buffer.from('\r\n'));
      }
      const end = pick(['0\r\n\r\n', '', 'zz\r\n', '0\r\nX: y\r\n\r\n', 'fffffffff\r\n']);
      return {
        what: `${what}, chunked`,
        pause: 300,
        bytes: Buffer.concat([
          Buffer.from(`${head}Transfer-Encoding: chunked\r\n\r\n`),
          ...chunks,
          Buffer.from(end),
        ]),
      };
    }
    const length = chance(0.1) ? body.length + below(50) : body.length;
    return {
      what,
      pause: length === body.length ? 20_000 : 300,
      bytes: Buffer.concat([Buffer.from(`${head}Content-Length: ${length}\r\n\r\n`, 'latin1'), body]),
    };
  };

  return () => {
    const kind = below(100);
    if (kind < 30) {
      const lines = Array.from({ length: below(6) }, header);
      const method = pick(['GET', 'POST', 'HEAD', 'OPTIONS', 'DELETE', 'PUT', 'TRACE', 'BREW', 'GET\0']);
      const version = pick(['HTTP/1.1', 'HTTP/1.1', 'HTTP/1.0', 'HTTP/2.0', 'HTTP/9', '']);
      const text = `${method} ${target()} ${version}\r\n${lines.join('\r\n')}\r\nConnection: close\r\n\r\n${bytes(below(30))}`;
      return { what: 'a strange request', pause: 300, bytes: Buffer.from(text, 'latin1') };
    }
    if (kind < 35) return { what: 'bytes', pause: 100, bytes: Buffer.from(bytes(below(400)), 'latin1') };
    if (kind < 36) {
      // A thousand requests in one packet, of which none waits for an answer.
      const one = `GET ${pick(['/docs', '/', '/health/live', '/metrics', target()])} HTTP/1.1\r\nHost: localhost\r\n\r\n`;
      return { what: 'a pipeline', pause: 300, bytes: Buffer.from(one.repeat(1 + below(1500)), 'latin1') };
    }
    if (kind < 40) {
      const head = 'POST /v1/predict HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100000\r\n\r\nabc';
      return { what: 'a slow body', pause: 2000, bytes: Buffer.from(head.slice(0, 20 + below(head.length))) };
    }
    if (kind < 60)
      return message(
        'JSON',
        Buffer.from(json()),
        'application/json',
        chance(0.5) ? '/v1/predict' : `/v2/models/${model}/infer`,
      );
    if (kind < 75) return message('a form', Buffer.from(form(), 'latin1'), 'multipart/form-data; boundary=x');
    if (kind < 76) {
      const [name, file] = pick(bombList);
      return message(name, file, 'application/octet-stream');
    }
    const damaged = Buffer.from(picture);
    for (let i = below(20); i > 0; i--) damaged[below(damaged.length)] = below(256);
    return message('a damaged image', damaged.subarray(0, below(damaged.length + 1)), 'image/jpeg');
  };
}
