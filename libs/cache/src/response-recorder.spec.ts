import { OutboundError } from '@gw/outbound';
import { ResponseRecorder, type ResponseCheck } from './response-recorder';
import { replayResponse } from './replay';
import { NotingHandler, nextTurn } from './spec-support/handler';
import { sampleResponse } from './spec-support/samples';
import type { CachedResponse } from './cached-response';

const checked = (isWhole: boolean): ResponseCheck => ({ write: () => undefined, isWhole: () => isWhole });
const EVENTS = ['content-type', 'text/event-stream; charset=utf-8', 'set-cookie', 'a=b'];

function record(bodyBytesMax = 100, check: ResponseCheck | null = checked(true), memoryBytes = 1_000) {
  const memory = {
    held: 0,
    take: (bytes: number): boolean => {
      if (memory.held + bytes > memoryBytes) return false;
      memory.held += bytes;
      return true;
    },
    give: (bytes: number): void => {
      memory.held -= bytes;
    },
  };
  const kept: CachedResponse[] = [];
  const next = new NotingHandler();
  const endedBefore: boolean[] = [];
  const recorder = new ResponseRecorder(next, {
    bodyBytesMax,
    memory,
    check: () => check,
    onWhole: (response) => {
      endedBefore.push(next.ended);
      kept.push(response);
    },
    now: () => 5,
  });
  return { recorder, next, kept, endedBefore, memory };
}

describe('ResponseRecorder', () => {
  it('records a complete response with joined chunks, without cookies, after the client has received its end', () => {
    const { recorder, next, kept, endedBefore, memory } = record();
    recorder.onHeaders(200, EVENTS);
    recorder.onData(Buffer.from('data: 1\n\n'));
    recorder.onData(Buffer.from('data: [DONE]\n\n'));
    recorder.onEnd();
    expect(next.text).toBe('data: 1\n\ndata: [DONE]\n\n');
    expect(next.headers).toBe(EVENTS);
    expect(endedBefore).toEqual([true]);
    expect(memory.held).toBe(0);
    expect(kept).toEqual([
      {
        status: 200,
        headers: ['content-type', 'text/event-stream; charset=utf-8'],
        chunks: [Buffer.concat(next.chunks)],
        streamed: true,
        createdAtMs: 5,
      },
    ]);
  });

  it('holds few buffers for a response that arrives byte by byte, and counts its bytes', () => {
    const { recorder, kept, memory } = record(100_000, checked(true), 100_000);
    recorder.onHeaders(200, EVENTS);
    for (let at = 0; at < 50_000; at += 1) recorder.onData(Buffer.from([at % 256]));
    expect(memory.held).toBe(50_000);
    recorder.onEnd();
    const [{ chunks } = sampleResponse('')] = kept;
    expect(chunks.length).toBeLessThan(32);
    expect(Buffer.concat(chunks)).toEqual(Buffer.from(Array.from({ length: 50_000 }, (_, at) => at % 256)));
    expect(memory.held).toBe(0);
  });

  it.each([199, 202, 206, 301, 400, 429, 500, 503])(
    'passes on a response with status %i and records nothing',
    (status) => {
      const { recorder, next, kept } = record();
      recorder.onHeaders(status, EVENTS);
      recorder.onData(Buffer.from('x'));
      recorder.onEnd();
      expect(next.text).toBe('x');
      expect(kept).toEqual([]);
    },
  );

  it('discards a response that was cut, incomplete or too long, or for which there is no memory', () => {
    const cut = record();
    cut.recorder.onHeaders(200, EVENTS);
    cut.recorder.onData(Buffer.from('x'));
    cut.recorder.onError(new OutboundError('interrupted', 'cut'));
    const incomplete = record(100, checked(false));
    incomplete.recorder.onHeaders(200, EVENTS);
    incomplete.recorder.onEnd();
    const long = record(5);
    long.recorder.onHeaders(200, EVENTS);
    long.recorder.onData(Buffer.from('123456'));
    long.recorder.onData(Buffer.from('7'));
    long.recorder.onEnd();
    expect(cut.next.error?.failure).toBe('interrupted');
    expect(incomplete.next.ended).toBe(true);
    expect(long.next.text).toBe('1234567');
    const crowded = record(100, checked(true), 5);
    crowded.recorder.onHeaders(200, EVENTS);
    crowded.recorder.onData(Buffer.from('1234'));
    expect(crowded.memory.held).toBe(4);
    crowded.recorder.onData(Buffer.from('56'));
    crowded.recorder.onEnd();
    expect(crowded.next.text).toBe('123456');
    const unknown = record(100, null);
    unknown.recorder.onHeaders(200, EVENTS);
    unknown.recorder.onData(Buffer.from('x'));
    unknown.recorder.onEnd();
    for (const { kept, memory } of [cut, incomplete, long, crowded, unknown]) {
      expect({ kept, held: memory.held }).toEqual({ kept: [], held: 0 });
    }
  });
});

describe('replayResponse', () => {
  const pieces = ['a', 'b', 'c'].map((text) => Buffer.from(text));

  it('replays a stream in its chunks without content-length, and other bodies with it', async () => {
    const stream = new NotingHandler();
    replayResponse(sampleResponse('', { chunks: pieces, streamed: true }), stream);
    expect(stream.status).toBeNull();
    const plain = new NotingHandler();
    replayResponse(sampleResponse('héllo'), plain);
    await nextTurn();
    expect(stream).toMatchObject({ status: 200, chunks: pieces, ended: true, violations: 0 });
    expect(stream.headers).not.toContain('content-length');
    expect(plain.headers.slice(-2)).toEqual(['content-length', '6']);
    expect(plain).toMatchObject({ text: 'héllo', ended: true });
  });

  it('stops when it is paused, even while it delivers a chunk, and continues with the next chunk', async () => {
    const handler = new NotingHandler();
    const call = replayResponse(sampleResponse('', { chunks: pieces }), handler);
    const onData = handler.onData.bind(handler);
    handler.onData = (chunk) => {
      onData(chunk);
      call.pause();
    };
    await nextTurn();
    expect(handler.text).toBe('a');
    call.resume();
    expect(handler.text).toBe('ab');
    call.resume();
    expect(handler).toMatchObject({ text: 'abc', ended: false });
    call.resume();
    expect(handler).toMatchObject({ ended: true, violations: 0 });
  });

  it('replays a large body over several turns, so that a slow client can pause it', async () => {
    const handler = new NotingHandler();
    const large = Array.from({ length: 4 }, () => Buffer.alloc(40_000, 'x'));
    const call = replayResponse(sampleResponse('', { chunks: large }), handler);
    await nextTurn();
    expect(handler.chunks).toHaveLength(2);
    call.pause();
    await nextTurn();
    expect(handler).toMatchObject({ chunks: { length: 2 }, ended: false });
    call.resume();
    await nextTurn();
    expect(handler).toMatchObject({ chunks: { length: 4 }, ended: true, violations: 0 });
  });

  it('reports an abort once and sends nothing after it', async () => {
    const handler = new NotingHandler();
    const call = replayResponse(sampleResponse('x'), handler);
    call.abort();
    call.abort();
    await nextTurn();
    expect(handler).toMatchObject({ status: null, violations: 0 });
    expect(handler.error?.failure).toBe('aborted');
  });
});
