import { ClientStreams } from './client-streams';
import type { Endpoint } from './endpoint';
import type { McpReply } from './mcp-reply';

describe('ClientStreams', () => {
  it('grants a listen request 100 resources, each once, and looks at no more than 1,000', () => {
    let looks = 0;
    const endpoint = {
      caller: { binding: 'p', principal: { workspace: { id: 'w', organisationId: 'o' } } },
      listsDigest: '',
      resourceOf: (uri: string) => {
        looks += 1;
        return uri.startsWith('known:') ? {} : undefined;
      },
    } as unknown as Endpoint;
    const nothing = (): void => undefined;
    const reply = {
      ...{ onceEnded: nothing, message: nothing, leave: nothing },
      hasEnded: true,
    } as unknown as McpReply;
    const streams = new ClientStreams(() => false);
    const granted = (resourceSubscriptions: readonly unknown[]): readonly string[] =>
      streams.listen(endpoint, reply, () => endpoint, {
        id: 1,
        params: { notifications: { resourceSubscriptions } },
      });
    const known = Array.from({ length: 150 }, (_, at) => `known:${String(at)}`);
    expect(granted(['known:0', 'known:0', 7, 'other:', ...known])).toEqual(known.slice(0, 100));
    looks = 0;
    expect(granted(Array.from({ length: 50_000 }, (_, at) => `other:${String(at)}`))).toEqual([]);
    expect(looks).toBe(1_000);
    streams.close();
  });
});
