import { NEW_COLUMN, type PlaygroundSettings } from '../search';
import { filled, isSendable, newDraft, newMessage, variablesOf, type Draft } from './draft';
import { bodyOf, headersOf } from './request';

const SETTINGS: PlaygroundSettings = {
  api: 'chat',
  columns: [],
  temperature: 0.5,
  maxTokens: 100,
  isStreamed: true,
  log: null,
};
const COLUMN = { ...NEW_COLUMN, target: '@openai', model: 'gpt-4o' };
const DRAFT: Draft = {
  system: 'You answer for {{ company }}.',
  messages: [
    newMessage('user', 'Hello {{name}}'),
    newMessage('assistant', ''),
    newMessage('user', '{{company}}?'),
  ],
  rest: { tools: [] },
  variables: { company: 'Acme' },
};
const MESSAGES = [
  { role: 'user', content: 'Hello {{name}}' },
  { role: 'user', content: 'Acme?' },
];

describe('bodyOf', () => {
  it('writes a request as each API has it', () => {
    const shared = { tools: [], model: 'gpt-4o', temperature: 0.5, stream: true };
    expect(bodyOf(SETTINGS, COLUMN, DRAFT)).toEqual({
      ...shared,
      max_tokens: 100,
      stream_options: { include_usage: true },
      messages: [{ role: 'system', content: 'You answer for Acme.' }, ...MESSAGES],
    });
    expect(bodyOf({ ...SETTINGS, api: 'messages' }, COLUMN, DRAFT)).toEqual({
      ...shared,
      max_tokens: 100,
      system: 'You answer for Acme.',
      messages: MESSAGES,
    });
    expect(bodyOf({ ...SETTINGS, api: 'responses' }, COLUMN, DRAFT)).toEqual({
      ...shared,
      max_output_tokens: 100,
      instructions: 'You answer for Acme.',
      input: MESSAGES,
    });
  });

  it('takes the parameters of the column before the shared ones, 0 too', () => {
    const own = { ...COLUMN, temperature: 0, maxTokens: 7 };
    expect(bodyOf(SETTINGS, own, DRAFT)).toMatchObject({ temperature: 0, max_tokens: 7 });
    const plain = { ...SETTINGS, temperature: null, maxTokens: null, isStreamed: false };
    expect(bodyOf(plain, { ...COLUMN, model: '' }, newDraft('Hi'))).toEqual({
      messages: [{ role: 'user', content: 'Hi' }],
    });
    expect(bodyOf({ ...plain, api: 'messages' }, COLUMN, newDraft('Hi'))).toMatchObject({ max_tokens: 1024 });
  });
});

describe('A draft', () => {
  it('has variables, which are filled in once', () => {
    expect(variablesOf(DRAFT)).toEqual(['company', 'name']);
    expect(filled('{{a}} {{b}} {{constructor}}', { a: '{{b}}', b: 'B' })).toBe('{{b}} B {{constructor}}');
    expect(isSendable(newDraft(''))).toBe(false);
    expect(isSendable(DRAFT)).toBe(true);
  });
});

describe('headersOf', () => {
  it('names a provider or a config', () => {
    expect(headersOf(COLUMN)).toEqual({ 'x-gw-provider': '@openai' });
    expect(headersOf({ ...COLUMN, target: 'config:chat' })).toEqual({ 'x-gw-config': 'chat' });
    expect(headersOf(NEW_COLUMN)).toEqual({});
  });
});
