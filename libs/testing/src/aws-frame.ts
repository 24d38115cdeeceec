import { crc32 } from 'node:zlib';

/** Encodes one frame of AWS's event stream. */
export function awsFrame(headers: Readonly<Record<string, string>>, payload: Buffer): Buffer {
  const head = Buffer.concat(
    Object.entries(headers).map(([name, value]) => {
      const length = Buffer.alloc(2);
      length.writeUInt16BE(Buffer.byteLength(value));
      return Buffer.concat([
        Buffer.from([Buffer.byteLength(name)]),
        Buffer.from(name),
        Buffer.from([7]),
        length,
        Buffer.from(value),
      ]);
    }),
  );
  const prelude = Buffer.alloc(8);
  prelude.writeUInt32BE(16 + head.length + payload.length, 0);
  prelude.writeUInt32BE(head.length, 4);
  const sum = (bytes: Buffer): Buffer => {
    const crc = Buffer.alloc(4);
    crc.writeUInt32BE(crc32(bytes) >>> 0);
    return crc;
  };
  const before = Buffer.concat([prelude, sum(prelude), head, payload]);
  return Buffer.concat([before, sum(before)]);
}
