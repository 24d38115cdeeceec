import { derivedFacts, type RecordedRequest } from './request-facts';

const NOTHING = { request_type: 'llm', prompt_slug: null, fell_back: false, hedged: false, saved_cost: null };

const read = (record: object): ReturnType<typeof derivedFacts> => derivedFacts(record as RecordedRequest);

describe('facts of a request', () => {
  it('are derived from its route and decision', () => {
    const attempts = [
      { target: 'a', end: 'status', hedge: 'second' },
      { target: 'b', end: 'answered' },
    ];
    const decision = { prompt: { slug: 'greeting' }, attempts, cache: { savedCost: 7 } };
    expect(read({ route: 'mcp.call', decision })).toEqual({
      ...{ request_type: 'mcp', prompt_slug: 'greeting', fell_back: true, hedged: true, saved_cost: 7 },
    });
  });

  it.each([
    ['nothing', {}],
    ['no decision', { route: 'chat', decision: null }],
    ['a decision that is a text', { route: 'chat', decision: 'x' }],
    ['parts that are null', { route: 'chat', decision: { prompt: null, attempts: null, cache: null } }],
    ['attempts that are null', { route: 'chat', decision: { attempts: [null, null] } }],
  ])('have defaults for a record with %s', (_, record) => {
    expect(read(record)).toEqual(NOTHING);
  });
});
