import { crc32, deflateRawSync } from 'node:zlib';

/** Builds a zip archive with these entries; those over 100 bytes are deflated. */
export function zipFile(entries: Readonly<Record<string, string | Uint8Array>>): Buffer {
  const parts: Buffer[] = [];
  const directory: Buffer[] = [];
  let offset = 0;
  for (const [name, content] of Object.entries(entries)) {
    const bytes = Buffer.from(content);
    const method = bytes.length > 100 ? 8 : 0;
    const stored = method === 8 ? deflateRawSync(bytes) : bytes;
    const fields = Buffer.alloc(26);
    fields.writeUInt16LE(20, 0);
    fields.writeUInt16LE(method, 4);
    fields.writeUInt32LE(crc32(bytes), 10);
    fields.writeUInt32LE(stored.length, 14);
    fields.writeUInt32LE(bytes.length, 18);
    fields.writeUInt16LE(Buffer.byteLength(name), 22);
    const local = Buffer.concat([number(0x04034b50, 4), fields, Buffer.from(name), stored]);
    const rest = Buffer.alloc(14);
    rest.writeUInt32LE(offset, 10);
    directory.push(Buffer.concat([number(0x02014b50, 4), number(20, 2), fields, rest, Buffer.from(name)]));
    parts.push(local);
    offset += local.length;
  }
  const list = Buffer.concat(directory);
  const end = Buffer.concat([
    number(0x06054b50, 4),
    number(0, 4),
    number(directory.length, 2),
    number(directory.length, 2),
    number(list.length, 4),
    number(offset, 4),
    number(0, 2),
  ]);
  return Buffer.concat([...parts, list, end]);
}

function number(value: number, bytes: 2 | 4): Buffer {
  const buffer = Buffer.alloc(bytes);
  buffer.writeUIntLE(value, 0, bytes);
  return buffer;
}
