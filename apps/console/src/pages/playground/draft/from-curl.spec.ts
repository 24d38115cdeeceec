/** @jest-environment node */
import { curl } from '../../connect/recipes/curl';
import { requestOfCurl } from './from-curl';

const URL_OF_CHAT = 'https://gateway.example.com/v1/chat/completions';

describe('requestOfCurl', () => {
  it.each([
    [`curl ${URL_OF_CHAT} -d '{"model":"m","messages":[{"role":"user","content":"a b"}]}'`, 'a b'],
    [
      `curl -X POST --url ${URL_OF_CHAT} --data-raw "{\\"messages\\":[{\\"role\\":\\"user\\",\\"content\\":\\"x\\"}]}"`,
      'x',
    ],
    [
      `$ curl -s ${URL_OF_CHAT}/?a=1 \\\n --json '{"messages":[{"role":"user","content":"it'\\''s"}]}'`,
      "it's",
    ],
  ])('reads the message of %s', (text, content) => {
    expect(requestOfCurl(text)?.draft.messages[0]?.content).toBe(content);
  });

  it('keeps provider, model, stream and parameters, and drops the key', () => {
    const text = `curl ${URL_OF_CHAT} -H 'x-gw-provider: @openai' -H 'Authorization: Bearer secret' -d '{"model":"gpt-4o","stream":true,"max_tokens":7,"messages":[]}'`;
    const request = requestOfCurl(text);
    expect(request).toMatchObject({
      api: 'chat',
      isStreamed: true,
      column: { target: '@openai', model: 'gpt-4o', maxTokens: 7 },
    });
    expect(JSON.stringify(request)).not.toContain('secret');
  });

  it('reads the curl command of the page Connect', () => {
    const text = curl.render({
      ...{ base: 'https://gateway.example.com', key: 'x', model: 'sandbox-small', provider: 'sandbox' },
    } as never);
    expect(requestOfCurl(text)?.column.model).toContain('sandbox-small');
  });

  it.each(['curl', 'curl https://example.com', `curl ${URL_OF_CHAT}`, `curl ${URL_OF_CHAT} -d '{broken'`])(
    'returns null for %s',
    (text) => {
      expect(requestOfCurl(text)).toBeNull();
    },
  );
});
