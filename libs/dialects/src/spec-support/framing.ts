import { awsFrame } from '@gw/testing';

type Frame = Record<string, unknown>;

const sse = (frames: readonly Frame[], named: boolean, lineEnd = '\n'): Buffer =>
  Buffer.from(
    frames
      .map(
        (frame) =>
          `${named && typeof frame['type'] === 'string' ? `event: ${frame['type']}${lineEnd}` : ''}data: ${JSON.stringify(frame)}${lineEnd}${lineEnd}`,
      )
      .join(''),
  );

function bedrockFrame(frame: Frame): Buffer {
  const payload = Buffer.from(JSON.stringify(frame['payload'] ?? {}));
  const kind = frame['exception'] ?? frame['event'];
  return awsFrame(
    frame['exception'] === undefined
      ? { ':message-type': 'event', ':event-type': String(kind), ':content-type': 'application/json' }
      : {
          ':message-type': 'exception',
          ':exception-type': String(kind),
          ':content-type': 'application/json',
        },
    payload,
  );
}

const FRAMINGS: Readonly<Record<string, { frames: (frames: readonly Frame[]) => Buffer; end: string }>> = {
  'openai-chat': { frames: (frames) => sse(frames, false), end: 'data: [DONE]\n\n' },
  mistral: { frames: (frames) => sse(frames, false), end: 'data: [DONE]\n\n' },
  'openai-responses': { frames: (frames) => sse(frames, true), end: '' },
  'anthropic-messages': { frames: (frames) => sse(frames, true), end: '' },
  'cohere-v2': { frames: (frames) => sse(frames, true), end: '' },
  gemini: { frames: (frames) => sse(frames, false, '\r\n'), end: '' },
  'bedrock-converse': { frames: (frames) => Buffer.concat(frames.map(bedrockFrame)), end: '' },
  ollama: {
    frames: (frames) => Buffer.from(frames.map((frame) => `${JSON.stringify(frame)}\n`).join('')),
    end: '',
  },
};

/**
 * Writes parsed events in the framing of their dialect. `cut` omits the end mark; `cut-in-frame`
 * also omits half of the last frame.
 */
export function framed(dialect: string, frames: readonly Frame[], end: string): Buffer {
  const framing = FRAMINGS[dialect];
  if (framing === undefined) throw new Error(`No framing of ${dialect}`);
  if (end === 'complete') return Buffer.concat([framing.frames(frames), Buffer.from(framing.end)]);
  if (end === 'cut') return framing.frames(frames);
  const before = framing.frames(frames.slice(0, -1));
  const last = framing.frames(frames.slice(-1));
  return Buffer.concat([before, last.subarray(0, Math.floor(last.length / 2))]);
}
