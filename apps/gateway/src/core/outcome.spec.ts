import { GatewayError } from '@gw/kernel';
import { RequestReply } from '../reply/request-reply';
import { outcomeOf } from './outcome';

describe('outcomeOf', () => {
  const after = (report: (reply: RequestReply) => void): string => {
    const reply = new RequestReply();
    report(reply);
    return outcomeOf(reply);
  };

  it('is ok when no fact is reported', () => {
    expect(after(() => undefined)).toBe('ok');
  });

  it.each([
    ['client_closed', (reply: RequestReply) => reply.clientLeft()],
    ['interrupted', (reply: RequestReply) => reply.cut(null)],
    ['denied', (reply: RequestReply) => reply.deny()],
    ['denied', (reply: RequestReply) => reply.fail(new GatewayError('rate_limited'))],
    ['failed', (reply: RequestReply) => reply.fail(new GatewayError('internal_error'))],
    ['provider_error', (reply: RequestReply) => reply.providerFailed()],
  ] as const)('is %s when that fact is reported', (outcome, report) => {
    expect(after(report)).toBe(outcome);
  });

  it('is interrupted when the response broke off, whatever error the client received', () => {
    expect(after((reply) => reply.cut(new GatewayError('stream_interrupted')))).toBe('interrupted');
  });

  it('is client_closed when the client disconnects before the end of an error response', () => {
    const report = (reply: RequestReply): void => {
      reply.providerFailed();
      reply.clientLeft();
    };
    expect(after(report)).toBe('client_closed');
  });
});
