import { readCurl, wordsOf, type CurlCall } from './read-curl';
import { takenOver } from './taken-over';
import { curlOf } from './write-curl';

const CHAT = String.raw`curl https://api.openai.com/v1/chat/completions \
  -H "Authorization: Bearer sk-secret" -H 'Content-Type: application/json' \
  -H 'x-gw-provider: @openai' \
  -d '{"model":"gpt-4o","stream":true,"temperature":0.2,"tools":[],
       "messages":[{"role":"system","content":"Be brief."},{"role":"user","content":"It'\''s $5?"}]}'`;

const read = (command: string): CurlCall => {
  const call = readCurl(command);
  if (typeof call === 'string') throw new Error(call);
  return call;
};

describe('readCurl', () => {
  it('splits words with the quoting rules of a shell', () => {
    expect(wordsOf(String.raw`a 'b c'd "e\"f" g\ h ''`)).toEqual(['a', 'b cd', 'e"f', 'g h', '']);
    expect(wordsOf(String.raw`$'x\n\u00e9\'' y`)).toEqual(["x\né'", 'y']);
    expect(wordsOf("a 'b")).toBeNull();
    expect(wordsOf('a "b')).toBeNull();
  });

  it('parses method, address, headers and body in all spellings of the options', () => {
    const put = read(`curl -XPUT --header=x-a:1 -H'x-b: 2' --url=host.example/v1/x --data-raw a -d b -s`);
    expect([put.method, put.url.href, put.body]).toEqual(['PUT', 'http://host.example/v1/x', 'a&b']);
    expect([...put.headers]).toEqual([
      ['x-a', '1'],
      ['x-b', '2'],
    ]);
    expect(read('curl https://host.example/v1/models').method).toBe('GET');
    expect(read(`curl https://host.example/x --json '{}'`)).toMatchObject({ method: 'POST', body: '{}' });
  });

  it('returns why a text cannot be imported', () => {
    expect(readCurl('wget x')).toBe('none');
    expect(readCurl('')).toBe('none');
    expect(readCurl("curl 'x")).toBe('quote');
    expect(readCurl('curl -s')).toBe('url');
    expect(readCurl('curl host -d @body.json')).toBe('file');
  });
});

describe('takenOver', () => {
  it("derives the API from the address and the target from Tollgate's headers, and drops keys", () => {
    const taken = takenOver(read(CHAT));
    expect(taken).toMatchObject({
      ...{ api: 'chat', isStreamed: true },
      column: { target: '@openai', model: 'gpt-4o', temperature: 0.2 },
      draft: { system: 'Be brief.', messages: [{ role: 'user', content: "It's $5?" }], rest: { tools: [] } },
    });
    expect(JSON.stringify({ ...taken, draft: { ...taken.draft, raw: '' } })).not.toContain('sk-secret');
    expect(JSON.stringify(taken)).not.toContain('sk-secret');
  });

  it('drops keys in the query of the address', () => {
    const path = (address: string) => takenOver(read(`curl '${address}'`)).draft.raw.path;
    expect(path('https://host.example/v1/models?key=AIzaSecret&pageSize=2&a=b%20c')).toBe(
      '/models?pageSize=2&a=b+c',
    );
    expect(path('https://host.example/v1/models?api_key=secret')).toBe('/models');
    expect(path('https://host.example/v1/models?limit=2&after=a%20b')).toBe('/models?limit=2&after=a%20b');
  });

  it('imports configs and other APIs, and any other request as a raw call', () => {
    const inline = takenOver(
      read(
        `curl http://gw/v1/embeddings -H 'x-gw-config: {"provider":"@a"}' -d '{"model":"e","input":"Hi","dimensions":8}'`,
      ),
    );
    expect(inline).toMatchObject({
      ...{ api: 'embeddings', column: { target: 'draft', model: 'e' } },
      draft: { rest: { dimensions: 8 }, messages: [{ content: 'Hi' }] },
    });
    expect(JSON.parse(inline.draft.config)).toEqual({ provider: '@a' });
    expect(takenOver(read(`curl http://gw/v1/files?limit=2 -H 'x-gw-config: chat-prod'`))).toMatchObject({
      ...{ api: 'raw', column: { target: 'config:chat-prod' } },
      draft: { raw: { method: 'GET', path: '/files?limit=2', body: '' } },
    });
  });

  it('splits the provider from a model name, and ignores a shell prompt', () => {
    const body = '{"model":"@openai/gpt-4o","messages":[]}';
    const { column } = takenOver(read(`$ curl http://gw/v1/chat/completions -d '${body}'`));
    expect(column).toMatchObject({ target: '@openai', model: 'gpt-4o' });
  });

  it('reads the curl commands that the playground writes', () => {
    const body = { model: 'm', input: "It's" };
    const headers = { 'x-gw-provider': '@a' };
    const command = curlOf({ workspaceId: '', api: 'embeddings', headers, body }, 'http://gw');
    const { api, column, draft } = takenOver(read(command));
    expect([api, column.target, column.model, draft.messages[0]?.content]).toEqual([
      ...['embeddings', '@a', 'm', "It's"],
    ]);
    const raw = { method: 'DELETE', path: '/files/f-1', body: null };
    const other = curlOf({ workspaceId: '', api: 'raw', headers, ...raw }, 'http://gw/');
    expect(takenOver(read(other)).draft.raw).toEqual({ method: 'DELETE', path: '/files/f-1', body: '' });
  });

  it('writes a form with the file by name, and texts that curl does not read as files', () => {
    const body = new FormData();
    body.append('prompt', "@it's");
    body.append('file', new File(['x'], 'call.mp3'), 'call.mp3');
    const command = curlOf({ workspaceId: '', api: 'transcriptions', headers: {}, body }, 'http://gw');
    expect(command.split(' \\\n  ')).toEqual([
      "curl 'http://gw/v1/audio/transcriptions'",
      '-H "x-gw-api-key: $TOLLGATE_KEY"',
      String.raw`--form-string 'prompt=@it'\''s'`,
      "-F 'file=@call.mp3'",
    ]);
  });
});
