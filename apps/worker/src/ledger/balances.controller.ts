import { INTERNAL, type BalancesResponse, type BalancesRequest } from '@gw/contracts';
import { GatewayError, UUID } from '@gw/kernel';
import { Body, Controller, HttpCode, Post } from '@nestjs/common';
import { LedgerBook } from './ledger-book';

const COUNTERS_MAX = 256;

/**
 * Returns the recorded usage of budgets to gateways whose counters are lost. `service-auth.ts`
 * checks the service token first.
 */
@Controller()
export class BalancesController {
  constructor(private readonly book: LedgerBook) {}

  @Post(INTERNAL.balances)
  @HttpCode(200)
  async balances(@Body() body: unknown): Promise<BalancesResponse> {
    if (!isRequest(body)) {
      throw new GatewayError('body_invalid', {
        message: 'The body must be an object with an organisation and its counters.',
      });
    }
    return { balances: await this.book.balances(body) };
  }
}

function isRequest(body: unknown): body is BalancesRequest {
  if (typeof body !== 'object' || body === null) return false;
  const { organisationId, counters, withBurn } = body as Partial<BalancesRequest>;
  return (
    typeof organisationId === 'string' &&
    UUID.test(organisationId) &&
    Array.isArray(counters) &&
    counters.length <= COUNTERS_MAX &&
    (withBurn === undefined || typeof withBurn === 'boolean') &&
    counters.every(
      (counter: unknown) =>
        typeof counter === 'object' &&
        counter !== null &&
        typeof (counter as { key?: unknown }).key === 'string' &&
        Number.isSafeInteger((counter as { since?: unknown }).since),
    )
  );
}
