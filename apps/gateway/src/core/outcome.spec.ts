import { GatewayError } from '@gw/kernel';
import { RequestReply } from '../reply/request-reply';
import { outcomeOf } from './outcome';

describe('outcomeOf', () => {
  const after = (report: (reply: RequestReply) => void): string => {
    const reply = new RequestReply();
    report(reply);
    return outcomeOf(reply);
  };

  it('is ok where nothing is reported', () => {
    expect(after(() => undefined)).toBe('ok');
  });

  it.each([
    ['client_closed', (reply: RequestReply) => reply.clientLeft()],
    ['interrupted', (reply: RequestReply) => reply.cut(null)],
    ['denied', (reply: RequestReply) => reply.deny()],
    ['denied', (reply: RequestReply) => reply.fail(new GatewayError('rate_limited'))],
    ['failed', (reply: RequestReply) => reply.fail(new GatewayError('internal_error'))],
    ['provider_error', (reply: RequestReply) => reply.providerFailed()],
  ] as const)('is %s after the fact that says so', (outcome, report) => {
    expect(after(report)).toBe(outcome);
  });

  it('is interrupted where a response broke off, whatever error its client received', () => {
    expect(after((reply) => reply.cut(new GatewayError('stream_interrupted')))).toBe('interrupted');
  });

  it('is client_closed where the client of an error left before its end', () => {
    const report = (reply: RequestReply): void => {
      reply.providerFailed();
      reply.clientLeft();
    };
    expect(after(report)).toBe('client_closed');
  });
});
