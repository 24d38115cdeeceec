import fc from 'fast-check';
import { ChatSplice } from './chat-splice';
import { Events } from './events';
import { MessagesSplice } from './messages-splice';
import { addCounts, type Splice } from './splice';

/** Builds the events of one dialect. `part` is the number of the response. */
interface Speaker {
  splice(): Splice;
  begin(part: number): string;
  say(part: number, text: string): string;
  end(part: number): string;
  /** Parses a stream as a client does. */
  read(stream: string): { readonly text: string; readonly ids: readonly string[]; readonly ends: number };
}

const bodies = (stream: string): Record<string, unknown>[] =>
  stream
    .split('\n\n')
    .filter((event) => event.includes('data: {'))
    .map((event) => JSON.parse(event.slice(event.indexOf('data: ') + 6)) as Record<string, unknown>);

const chunk = (part: number, delta: object, finish: string | null = null): string =>
  `data: ${JSON.stringify({ id: `id-${String(part)}`, choices: [{ index: 0, delta, finish_reason: finish }] })}\n\n`;
const event = (type: string, more: object): string =>
  `event: ${type}\ndata: ${JSON.stringify({ type, ...more })}\n\n`;

const speakers: Readonly<Record<string, Speaker>> = {
  'chat completions': {
    splice: () => new ChatSplice(),
    begin: (part) => chunk(part, { role: 'assistant', content: '' }),
    say: (part, content) => chunk(part, { content }),
    end: (part) => `${chunk(part, {}, 'stop')}data: [DONE]\n\n`,
    read: (stream) => {
      const chunks = bodies(stream) as {
        id: string;
        choices: [{ delta: { content?: string }; finish_reason: string | null }];
      }[];
      return {
        text: chunks.map(({ choices: [{ delta }] }) => delta.content ?? '').join(''),
        ids: [...new Set(chunks.map(({ id }) => id))],
        ends: chunks.filter(({ choices: [{ finish_reason: reason }] }) => reason !== null).length,
      };
    },
  },
  messages: {
    splice: () => new MessagesSplice(),
    begin: (part) =>
      event('message_start', { message: { id: `id-${String(part)}`, usage: { input_tokens: 1 } } }) +
      event('content_block_start', { index: 0, content_block: { type: 'text', text: '' } }),
    say: (_, text) => event('content_block_delta', { index: 0, delta: { type: 'text_delta', text } }),
    end: () =>
      event('content_block_stop', { index: 0 }) +
      event('message_delta', { delta: { stop_reason: 'end_turn' }, usage: { output_tokens: 2 } }) +
      event('message_stop', {}),
    read: (stream) => {
      const events = bodies(stream) as {
        type: string;
        message?: { id: string };
        delta?: { text?: string };
      }[];
      return {
        text: events.map(({ delta }) => delta?.text ?? '').join(''),
        ids: events.flatMap(({ message }) => (message ? [message.id] : [])),
        ends: events.filter(({ type }) => type === 'message_stop').length,
      };
    },
  },
};

const words = fc.array(fc.constantFrom('a', 'bc', ' ', '\n', '  ', '.', 'é', '😀', '\t'), { maxLength: 30 });

/** Returns the stream of a client whose response breaks after each of `cuts` chunks. */
function spliced(speaker: Speaker, pieces: readonly string[], cuts: readonly number[]): string {
  const splice = speaker.splice();
  const whole = pieces.join('');
  const out: Buffer[] = [];
  const pass = (text: string): void => {
    const events = new Events().write(Buffer.from(text)) ?? [];
    for (const own of events) out.push(splice.event(own) ?? Buffer.alloc(0));
  };
  let rest = pieces;
  cuts.forEach((count, part) => {
    const reported = rest.slice(0, count);
    pass(speaker.begin(part) + reported.map((text) => speaker.say(part, text)).join(''));
    const beginning = splice.partial() ?? '';
    // A model continues from the given beginning, in chunks of its own.
    rest = [...whole.slice(beginning.length)];
    splice.continueWithNext(null);
  });
  const last = cuts.length;
  pass(speaker.begin(last) + rest.map((text) => speaker.say(last, text)).join('') + speaker.end(last));
  expect(splice.complete).toBe(true);
  return Buffer.concat(out).toString();
}

describe.each(Object.entries(speakers))('spliced responses in the dialect of %s', (_, speaker) => {
  it('read like a single unbroken response, wherever they were cut', () => {
    fc.assert(
      fc.property(words, fc.array(fc.nat(12), { maxLength: 4 }), (pieces, cuts) => {
        const { text, ids, ends } = speaker.read(spliced(speaker, pieces, cuts));
        expect(text).toBe(pieces.join(''));
        expect(ids).toEqual(['id-0']);
        expect(ends).toBe(1);
      }),
      { seed: 7, numRuns: 500 },
    );
  });

  it('stay unchanged byte for byte while nothing breaks', () => {
    const splice = speaker.splice();
    const stream = `: note\n\n${speaker.begin(0)}${speaker.say(0, 'Hé 😀')}data: odd\n\n${speaker.end(0)}`;
    const out = (new Events().write(Buffer.from(stream)) ?? []).map((own) => splice.event(own));
    expect(Buffer.concat(out as Buffer[]).toString()).toBe(stream);
    expect(splice.partial()).toBeNull();
  });

  it('are not continued once they are complete', () => {
    const splice = speaker.splice();
    for (const own of new Events().write(Buffer.from(speaker.begin(0) + speaker.end(0))) ?? [])
      splice.event(own);
    expect(splice.partial()).toBeNull();
  });
});

describe('events of a stream', () => {
  it('are the same for every split of its bytes, with every kind of line end', () => {
    const lines = fc.constantFrom('\n', '\r\n', '\r');
    fc.assert(
      fc.property(words, lines, fc.array(fc.nat(400)), (texts, end, cuts) => {
        const own = texts.map((text) => `data: ${JSON.stringify(text)}${end}${end}`);
        const bytes = Buffer.from(`${own.join('')}data: rest`);
        const events = new Events();
        const found: Buffer[] = [];
        let from = 0;
        for (const cut of [...cuts.sort((one, other) => one - other), bytes.length]) {
          const to = Math.min(Math.max(cut, from), bytes.length);
          found.push(...(events.write(bytes.subarray(from, to)) ?? []));
          from = to;
        }
        expect(Buffer.concat([...found, events.rest()]).equals(bytes)).toBe(true);
        expect(found).toHaveLength(own.length);
      }),
      { seed: 9, numRuns: 300 },
    );
  });

  it('are not held beyond 1 MiB', () => {
    const events = new Events();
    expect(events.write(Buffer.alloc(1_048_576, 'x'))).toEqual([]);
    expect(events.write(Buffer.from('x'))).toBeNull();
  });
});

describe('usage counts of several responses', () => {
  it('add up by name, also in details, and keep members that only one of them has', () => {
    const one = { tokens: 1, details: { cached: 2 }, tier: 'a', none: null };
    const other = { tokens: 10, details: { cached: 20, audio: 1 }, none: 5 };
    expect(addCounts(one, other)).toEqual({
      tokens: 11,
      details: { cached: 22, audio: 1 },
      tier: 'a',
      none: 5,
    });
  });
});
