import { isUniqueViolation } from '@gw/entities';
import { GatewayError } from '@gw/kernel';
import { describeFault, ErrorFilter, type Log } from '@gw/web';
import type { FastifyRequest } from 'fastify';
import { DataSource } from 'typeorm';
import type { AuditRecorder } from '../unit-of-work/audit-recorder';
import { isRead, refusedAttempt } from './refused-attempt';

/**
 * Also records refused requests in the audit log, and turns a violated unique constraint into a
 * `conflict`.
 */
export class AuditingErrorFilter extends ErrorFilter {
  constructor(
    log: Log,
    private readonly dataSource: DataSource,
    private readonly audits: AuditRecorder,
  ) {
    super(log);
  }

  protected override translate(thrown: unknown): GatewayError {
    if (isUniqueViolation(thrown)) return new GatewayError('conflict', { cause: thrown });
    return super.translate(thrown);
  }

  /**
   * Records a failed write or a forbidden read once the caller is known. Does not record anonymous
   * attempts, since anyone could fill the table with them. A failure to write the record does not
   * fail the response.
   */
  protected override async beforeResponse(error: GatewayError, request: FastifyRequest): Promise<void> {
    const { principal } = request;
    // The database is unavailable: writing the record would fail too and would delay the response.
    if (error.type === 'unavailable') return;
    if (!principal || (isRead(request.method) && error.status !== 403)) return;
    try {
      await this.audits.record(this.dataSource.manager, principal, [
        {
          ...refusedAttempt(request.method, request.url),
          status: error.status,
          errorType: error.type,
        },
      ]);
    } catch (fault) {
      this.log.error(
        { requestId: request.id, ...describeFault(fault) },
        'failed to record a refused attempt',
      );
    }
  }
}
