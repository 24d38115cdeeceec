import { GatewayError } from '@gw/kernel';
import fc from 'fast-check';
import type { JsonObject } from '../call';
import { asObject, asString } from '../values/json';
import { TOOL_NAME } from './encode-parts';
import { LLAMA, NOVA, ofChat, OPUS, SONNET } from './spec-facts';

const text = fc.constantFrom('', ' ', 'a', 'Grüße\n');
const marked = fc.constantFrom({}, {}, { cache_control: { type: 'ephemeral' } });
const part = fc.oneof(
  fc.tuple(text, marked).map(([found, mark]) => ({ type: 'text', text: found, ...mark })),
  marked.map((mark) => ({
    type: 'image_url',
    image_url: { url: 'data:image/png;base64,iVBORw0KGgo=' },
    ...mark,
  })),
  fc.constant({
    type: 'file',
    file: { filename: 'a.pdf', file_data: 'data:application/pdf;base64,JVBERi0xLjQ=' },
  }),
);
const id = fc.constantFrom('a', 'b', 'call:1', 'x'.repeat(80));
const call = id.map((found) => ({
  id: found,
  type: 'function',
  function: { name: 'f', arguments: '{"a":1}' },
}));
const result = (id: string, content: string, mark: JsonObject): JsonObject => ({
  role: 'tool',
  tool_call_id: id,
  content,
  ...mark,
});
/** A turn of calls, and one of their results in another order. */
const exchange = fc
  .tuple(
    fc.uniqueArray(call, { minLength: 1, maxLength: 3, selector: ({ id: found }) => found }),
    text,
    marked,
  )
  .map(([calls, content, mark]) => [
    { role: 'assistant', content: 'x', tool_calls: calls },
    ...calls.map(({ id: found }) => result(found, content, mark)).reverse(),
  ]);
const step: fc.Arbitrary<JsonObject[]> = fc.oneof(
  fc
    .tuple(fc.constantFrom('user', 'user', 'assistant', 'system'), text)
    .map(([role, content]) => [{ role, content }]),
  fc.array(part, { maxLength: 4 }).map((content) => [{ role: 'user', content }]),
  exchange,
  fc.tuple(id, text, marked).map(([found, content, mark]) => [result(found, content, mark)]),
);
const conversation = fc.array(step, { minLength: 1, maxLength: 7 }).map((steps) => steps.flat());
const model = fc.constantFrom(SONNET, OPUS, NOVA, LLAMA, 'mistral.mistral-large-2407-v1:0');

interface Message {
  readonly role: string;
  readonly content: readonly JsonObject[];
}

const memberOf = ({ content }: Message, kind: string, member: string): string[] =>
  content.map((block) => asString(asObject(block[kind])?.[member])).filter((value) => value !== null);

/** Returns the faults for which AWS would refuse a message of a Converse body. */
function messageFaults(message: Message, before: Message | undefined): string[] {
  const { role, content } = message;
  const results = memberOf(message, 'toolResult', 'toolUseId');
  const calls = before === undefined ? [] : memberOf(before, 'toolUse', 'toolUseId');
  const texts = content.map((block) => asString(block['text'])).filter((value) => value !== null);
  const rules: readonly (readonly [isBroken: boolean, fault: string])[] = [
    [role === before?.role, 'the roles do not alternate'],
    [content.length === 0, 'a message is empty'],
    [texts.some((value) => value.trim() === ''), 'a text is blank'],
    [content[0]?.['cachePoint'] !== undefined, 'a cache point is first'],
    [content.some((block) => 'document' in block) && texts.length === 0, 'a document is without text'],
    [results.join() !== calls.join(), 'results do not match calls'],
    [!memberOf(message, 'toolUse', 'name').every((name) => TOOL_NAME.test(name)), 'a name is illegal'],
    [!results.every((used) => /^[A-Za-z0-9_-]{1,64}$/.test(used)), 'an id is illegal'],
  ];
  return rules.filter(([isBroken]) => isBroken).map(([, fault]) => fault);
}

/** Returns the faults for which AWS would refuse a Converse body. */
function faults(body: JsonObject): string[] {
  const messages = body['messages'] as readonly Message[];
  const json = JSON.stringify(body);
  return [
    ...messages.flatMap((found, index) => messageFaults(found, messages[index - 1])),
    ...(messages[0]?.role === 'user' ? [] : ['the first message is not of the user']),
    ...(json.split('"cachePoint"').length <= 5 ? [] : ['there are more than four cache points']),
    ...(!json.includes('"toolUse"') || 'toolConfig' in body ? [] : ['there is no toolConfig']),
  ];
}

describe('encodeCall', () => {
  it('produces bodies that Converse accepts, or refuses the call', () => {
    let encoded = 0;
    fc.assert(
      fc.property(conversation, model, (messages, name) => {
        try {
          const body = ofChat({ messages }, name);
          encoded += 1;
          expect(faults(body)).toEqual([]);
          expect(ofChat({ messages }, name)).toEqual(body);
        } catch (thrown) {
          if (!(thrown instanceof GatewayError)) throw thrown;
        }
      }),
      { numRuns: 1_000, seed: 7 },
    );
    expect(encoded).toBeGreaterThan(100);
  });
});
