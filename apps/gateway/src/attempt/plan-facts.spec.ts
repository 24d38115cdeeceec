import type { RequestContext } from '../core/request-context';
import { PlanFacts } from './plan-facts';

const factsOf = (context: object): PlanFacts => new PlanFacts(context as RequestContext);

describe('PlanFacts', () => {
  it('returns the same parameters to each condition, whose facts are then computed once', () => {
    const body = { contents: [{ parts: [{ text: 'Hi' }] }], model: 'other' };
    const facts = factsOf({
      route: { call: { model: 'gemini-2.5-pro', kind: 'answer' } },
      scan: { isForm: false },
      spooled: null,
      json: () => body,
    });
    expect(facts.params()).toEqual({ ...body, model: 'gemini-2.5-pro' });
    expect(facts.params()).toBe(facts.params());
  });

  it('has no header that the client did not send', () => {
    const facts = factsOf({ req: { headers: { accept: 'a' } } });
    expect(['accept', 'constructor', '__proto__'].map((name) => facts.header(name))).toEqual([
      'a',
      undefined,
      undefined,
    ]);
  });
});
