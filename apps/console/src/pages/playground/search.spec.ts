import { parseSearch, stringifySearch } from '../../url';
import { decodePlayground, encodePlayground, NEW_COLUMN, type PlaygroundSettings } from './search';

const SETTINGS: PlaygroundSettings = {
  api: 'messages',
  columns: [
    { target: '@openai', model: 'org/model:v1;x=%1&y', temperature: 0.2, maxTokens: 800 },
    { target: 'config:chat-prod', model: '', temperature: null, maxTokens: null },
  ],
  temperature: 1.5,
  maxTokens: 20,
  isStreamed: false,
  log: '01a2-ff',
  view: 'tests',
};

describe('settings of the playground in its URL', () => {
  it('are decoded as they were encoded, and are empty for a new playground', () => {
    const routed = parseSearch(stringifySearch(encodePlayground(SETTINGS)));
    expect(decodePlayground(routed)).toEqual(SETTINGS);
    expect(encodePlayground(decodePlayground({}))).toEqual({});
  });

  it('drop invalid parameters, and more than six columns', () => {
    const read = decodePlayground({
      ...{ api: 'telnet', temperature: '9', max_tokens: '-1', log: '../x', stream: '2' },
      c: ['javascript:x/y', '@a b/c', ...Array.from({ length: 9 }, () => '@openai/gpt-4o;temperature=7')],
    });
    expect(read).toMatchObject({
      api: 'chat',
      temperature: null,
      maxTokens: null,
      log: null,
      isStreamed: true,
    });
    expect(read.columns).toEqual(
      Array.from({ length: 6 }, () => ({ ...NEW_COLUMN, target: '@openai', model: 'gpt-4o' })),
    );
  });
});
