import { decodeQR } from 'qr/decode.js';

const RUN = /M(\d+) (\d+)h(\d+)v1h-\d+z/g;
/** Pixels for each module. */
const SCALE = 4;

/** Decodes a QR code that is drawn as SVG. Throws when there is none. */
export function readQrCode(drawing: Element): string {
  const [, , side] = (drawing.getAttribute('viewBox') ?? '').split(' ').map(Number);
  const size = (side ?? 0) * SCALE;
  const data = new Uint8ClampedArray(size * size * 4).fill(255);
  for (const [, x, y, length] of drawing.querySelector('path')?.getAttribute('d')?.matchAll(RUN) ?? [])
    for (let line = Number(y) * SCALE; line < (Number(y) + 1) * SCALE; line += 1) {
      const begin = line * size + Number(x) * SCALE;
      for (let at = begin; at < begin + Number(length) * SCALE; at += 1) data.fill(0, at * 4, at * 4 + 3);
    }
  return decodeQR({ width: size, height: size, data });
}
