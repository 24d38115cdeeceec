import { NOW, RING } from '../spec-support/endpoint';
import { openRequestId, REQUEST_LIFETIME_MS, sealRequestId } from './request-id';

const OWNER = { principal: 'p1', session: 's1' };
const PLACE = { replica: 'a'.repeat(32), request: 'b'.repeat(32) };

describe('sealRequestId and openRequestId', () => {
  const id = sealRequestId(RING, OWNER, PLACE, NOW);
  const opened = (text: unknown, owner = OWNER, now = NOW) => openRequestId(RING, owner, text, now);

  it('return the place of the request in every gateway with the key', () => {
    expect(opened(id)).toEqual(PLACE);
    expect(id.length).toBeLessThan(512);
  });

  it('refuse another session or principal, and expired ids', () => {
    expect(opened(id, { ...OWNER, principal: 'p2' })).toBeNull();
    expect(opened(id, { ...OWNER, session: 's2' })).toBeNull();
    expect(opened(id, OWNER, NOW + REQUEST_LIFETIME_MS)).toBeNull();
  });

  it.each([
    ['a number', 7],
    ['null', null],
    ['a guess', 'gwr1.00000000000000000000000000000000'],
    ['one with a changed character', `${id.slice(0, -2)}${id.at(-2) === 'A' ? 'B' : 'A'}A`],
    ['one of 2,000 characters', `gwr1.${'x'.repeat(2_000)}`],
  ])('refuse %s', (_what, text) => {
    expect(opened(text)).toBeNull();
  });
});
