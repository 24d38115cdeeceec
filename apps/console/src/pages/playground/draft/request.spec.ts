import { NEW_COLUMN, type PlaygroundSettings } from '../search';
import { ATTACHMENTS_MAX, attachmentsOf, withAttachments } from './attachment';
import { filled, isSendable, newDraft, newMessage, variablesOf, type Draft } from './draft';
import { RECORDING_MAX, recordingFault } from './recording';
import { bodyOf, canSend, headersOf, requestOf } from './request';

const SETTINGS: PlaygroundSettings = {
  api: 'chat',
  columns: [],
  temperature: 0.5,
  maxTokens: 100,
  isStreamed: true,
  log: null,
  view: 'columns',
};
const COLUMN = { ...NEW_COLUMN, target: '@openai', model: 'gpt-4o' };
const DRAFT: Draft = {
  ...newDraft(),
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
  it('writes the body in the format of each API', () => {
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

  it('prefers the parameters of the column to the shared ones, even when they are 0', () => {
    const own = { ...COLUMN, temperature: 0, maxTokens: 7 };
    expect(bodyOf(SETTINGS, own, DRAFT)).toMatchObject({ temperature: 0, max_tokens: 7 });
    const plain = { ...SETTINGS, temperature: null, maxTokens: null, isStreamed: false };
    expect(bodyOf(plain, { ...COLUMN, model: '' }, newDraft('Hi'))).toEqual({
      messages: [{ role: 'user', content: 'Hi' }],
    });
    expect(bodyOf({ ...plain, api: 'messages' }, COLUMN, newDraft('Hi'))).toMatchObject({ max_tokens: 1024 });
  });
});

describe('bodyOf APIs without a conversation', () => {
  const draft: Draft = { ...newDraft('A gate in {{place}}'), variables: { place: 'Rome' } };
  const body = (api: PlaygroundSettings['api'], rest = {}) =>
    bodyOf({ ...SETTINGS, api }, COLUMN, { ...draft, rest });
  it('writes one text as the input, and streams only APIs that return text', () => {
    const model = { model: 'gpt-4o' };
    expect(body('embeddings')).toEqual({ ...model, input: 'A gate in Rome' });
    expect(body('images', { n: 2 })).toEqual({ ...model, prompt: 'A gate in Rome', n: 2 });
    expect(body('speech', { voice: 'nova' })).toEqual({ ...model, voice: 'nova', input: 'A gate in Rome' });
    expect(body('completions')).toEqual({
      ...{ ...model, prompt: 'A gate in Rome', temperature: 0.5, max_tokens: 100, stream: true },
    });
  });
});

describe('attachments', () => {
  const image = { name: 'gate.png', type: 'image/png', base64: 'aGk=', bytes: 2 };
  const pdf = { ...image, name: 'toll.pdf', type: 'application/pdf' };
  const draft: Draft = { ...newDraft('What is it?'), attachments: [image, pdf] };
  const contentOf = (api: PlaygroundSettings['api'], member = 'messages') => {
    const [message] = bodyOf({ ...SETTINGS, api }, COLUMN, draft)[member] as { readonly content: unknown }[];
    return message?.content;
  };
  it('become parts of the last user message in the format of each API', () => {
    const [picture, file] = ['data:image/png;base64,aGk=', 'data:application/pdf;base64,aGk='];
    expect(contentOf('chat')).toEqual([
      { type: 'text', text: 'What is it?' },
      { type: 'image_url', image_url: { url: picture } },
      { type: 'file', file: { filename: 'toll.pdf', file_data: file } },
    ]);
    expect(contentOf('responses', 'input')).toEqual([
      { type: 'input_text', text: 'What is it?' },
      { type: 'input_image', image_url: picture },
      { type: 'input_file', filename: 'toll.pdf', file_data: file },
    ]);
    const source = { type: 'base64', data: 'aGk=' };
    expect(contentOf('messages')).toEqual([
      { type: 'text', text: 'What is it?' },
      { type: 'image', source: { ...source, media_type: 'image/png' } },
      { type: 'document', source: { ...source, media_type: 'application/pdf' } },
    ]);
  });

  it('become a separate message when there is no user message, and are limited in size', async () => {
    expect(withAttachments('chat', [{ role: 'assistant', content: 'Hi' }], [image])).toHaveLength(2);
    expect(withAttachments('embeddings', [], [image])).toEqual([]);
    expect(isSendable({ ...newDraft(), attachments: [image] })).toBe(true);
    const large = { ...image, bytes: ATTACHMENTS_MAX };
    expect(await attachmentsOf([new File(['x'], 'x.png', { type: 'image/png' })], [large])).toBeNull();
    expect(await attachmentsOf([new File(['hi'], 'x.png', { type: 'image/png' })], [])).toEqual([
      { ...image, name: 'x.png' },
    ]);
  });
});

describe('raw call', () => {
  const raw = { method: 'POST', path: '/files?limit=2', body: '{"a": 1}' };
  const settings: PlaygroundSettings = { ...SETTINGS, api: 'raw' };
  it('is sent unchanged, and only below the base URL of the gateway', () => {
    const draft = { ...newDraft(), raw };
    expect(requestOf('w', settings, NEW_COLUMN, draft)).toEqual({
      ...{ workspaceId: 'w', api: 'raw', headers: {} },
      ...raw,
    });
    const get = { ...draft, raw: { ...raw, method: 'GET' } };
    expect(requestOf('w', settings, NEW_COLUMN, get)).toMatchObject({ method: 'GET', body: null });
    expect(canSend(settings, NEW_COLUMN, draft)).toBe(true);
    for (const path of ['', 'files', '/../admin', '//evil.example/x/../..', '/..%2f/../../x'])
      expect([path, canSend(settings, NEW_COLUMN, { ...draft, raw: { ...raw, path } })]).toEqual([
        path,
        path.startsWith('//'),
      ]);
  });
});

describe('draft', () => {
  it('lists its variables and replaces each of them once', () => {
    expect(variablesOf(DRAFT)).toEqual(['company', 'name']);
    expect(filled('{{a}} {{b}} {{constructor}}', { a: '{{b}}', b: 'B' })).toBe('{{b}} B {{constructor}}');
    expect(isSendable(newDraft(''))).toBe(false);
    expect(isSendable(DRAFT)).toBe(true);
  });
});

describe('headersOf', () => {
  it('returns the header of a provider or a config', () => {
    expect(headersOf(COLUMN)).toEqual({ 'x-gw-provider': '@openai' });
    expect(headersOf({ ...COLUMN, target: 'config:chat' })).toEqual({ 'x-gw-config': 'chat' });
    expect(headersOf(NEW_COLUMN)).toEqual({});
  });

  it('formats the config written on the page as one line of ASCII', () => {
    const column = { ...COLUMN, target: 'draft' };
    const config = '{\n "provider": "@openai",\n "override_params": { "user": "Zoë" }\n}';
    expect(headersOf(column, config)).toEqual({
      'x-gw-config': String.raw`{"provider":"@openai","override_params":{"user":"Zo\u00eb"}}`,
    });
    expect(canSend(SETTINGS, column, { ...DRAFT, config })).toBe(true);
    for (const broken of ['', '{', '[]', '"x"'])
      expect(canSend(SETTINGS, column, { ...DRAFT, config: broken })).toBe(false);
  });
});

describe('request with a recording', () => {
  const settings = { ...SETTINGS, api: 'transcriptions' as const };
  const recording = new File(['sound'], 'call.mp3', { type: 'audio/mpeg' });

  it('is a form with the members of the body, without text generation parameters', () => {
    const draft = { ...newDraft('Names: Ada'), rest: { language: 'en', timestamps: ['word'] }, recording };
    const { body } = requestOf('w', settings, COLUMN, draft);
    expect(body).toBeInstanceOf(FormData);
    const entries = [...(body as FormData)].map(([name, value]) =>
      typeof value === 'string' ? [name, value] : [name, value.name, value.size],
    );
    expect(entries).toEqual([
      ['model', 'gpt-4o'],
      ['prompt', 'Names: Ada'],
      ['language', 'en'],
      ['timestamps', '["word"]'],
      ['file', 'call.mp3', 5],
    ]);
  });

  it('can be sent only with a recording', () => {
    expect(canSend(settings, COLUMN, newDraft('Text'))).toBe(false);
    expect(canSend(settings, COLUMN, { ...newDraft(), recording })).toBe(true);
    expect(canSend(settings, NEW_COLUMN, { ...newDraft(), recording })).toBe(false);
  });

  it.each([
    [{ name: 'a.mp3', type: 'audio/mpeg', size: 1 }, null],
    [{ name: 'a.opus', type: '', size: 1 }, null],
    [{ name: 'a.webm', type: 'video/webm', size: RECORDING_MAX }, null],
    [{ name: 'a.mp3', type: 'audio/mpeg', size: RECORDING_MAX + 1 }, /a\.mp3 has .* at most/],
    [{ name: 'a.mp3', type: 'audio/mpeg', size: 0 }, /is empty/],
    [{ name: 'a.pdf', type: 'application/pdf', size: 1 }, /no sound \(application\/pdf\)/],
  ])('is checked before it is sent: %j', (file, reason) => {
    const fault = recordingFault(file);
    if (reason === null) expect(fault).toBeNull();
    else expect(fault).toMatch(reason);
  });
});
