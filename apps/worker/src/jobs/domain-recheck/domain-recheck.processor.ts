import { appendAudit, OrganisationDomainEntity, queueMail } from '@gw/entities';
import { proofRecord, type DomainProofs } from '@gw/federation';
import { domainRecheckJob, type JobProcessor } from '@gw/jobs';
import { DAY_MS, type Keyring } from '@gw/kernel';
import { describeFault, type Log } from '@gw/web';
import { IsNull, LessThan, MoreThan, Not, type DataSource, type EntityManager } from 'typeorm';
import { jobAudit } from '../job-audit';
import { administratorsOf } from '../mail/recipients';

/** Maximum number of domains in one run; the rest is left for the next run. */
const BATCH = 200;
/** Number of consecutive failed checks after which a domain is no longer verified. */
const FAILURES_MAX = 3;

/**
 * Checks regularly that the TXT records of verified domains still exist: every seven days, and
 * daily after a failure. Safe to run twice and on many machines: if another worker checks a domain
 * meanwhile, this worker's result is dropped. A domain stays verified while DNS does not respond.
 */
export class DomainRecheckProcessor implements JobProcessor {
  readonly spec = domainRecheckJob;

  constructor(
    private readonly source: DataSource,
    private readonly proofs: Pick<DomainProofs, 'isProven'>,
    private readonly auditEnabled: boolean,
    /** Seals mails to administrators; null when mail is off. */
    private readonly mails: Keyring | null,
    private readonly log: Log,
  ) {}

  process(): Promise<void> {
    return this.checkDue(new Date());
  }

  /** Checks the domains that are due at `now`. */
  async checkDue(now: Date): Promise<void> {
    const verifiedAt = Not(IsNull());
    const before = (days: number): Date => new Date(now.getTime() - days * DAY_MS);
    // Domains without a DNS response stay due: in a fixed order, many of them would keep the others
    // from ever being checked.
    const due = await this.source.manager
      .createQueryBuilder(OrganisationDomainEntity, 'domain')
      .where([
        { verifiedAt, failures: 0, checkedAt: LessThan(before(7)) },
        { verifiedAt, failures: MoreThan(0), checkedAt: LessThan(before(1)) },
        { verifiedAt, checkedAt: IsNull() },
      ])
      .orderBy('random()')
      .limit(BATCH)
      .getMany();
    for (const row of due) await this.check(row, now);
  }

  private async check(row: OrganisationDomainEntity, now: Date): Promise<void> {
    let isProven: boolean;
    try {
      isProven = await this.proofs.isProven(row.domain, row.token);
    } catch (error) {
      this.log.warn(
        { domain: row.domain, ...describeFault(error) },
        'failed to check a domain; trying again later',
      );
      return;
    }
    const failures = isProven ? 0 : row.failures + 1;
    const isLost = failures >= FAILURES_MAX;
    await this.source.transaction(async (manager) => {
      const { affected } = await manager.update(
        OrganisationDomainEntity,
        { id: row.id, version: row.version },
        { checkedAt: now, failures, ...(isLost ? { verifiedAt: null } : {}) },
      );
      if (affected !== 1 || !isLost) return;
      await this.mailAdministrators(manager, row);
      if (!this.auditEnabled) return;
      const { id, organisationId, domain } = row;
      const reported = {
        organisationId,
        workspaceId: null,
        action: 'unverify',
        resourceType: 'domains',
        resourceId: id,
      };
      await appendAudit(manager, [
        jobAudit(domainRecheckJob, {
          ...reported,
          before: { domain, verified: true },
          after: { domain, verified: false },
        }),
      ]);
    });
  }

  private async mailAdministrators(
    manager: EntityManager,
    { id, organisationId, domain }: OrganisationDomainEntity,
  ): Promise<void> {
    if (this.mails === null) return;
    await queueMail(manager, this.mails, {
      organisationId,
      topic: `domain/${id}/lost`,
      to: await administratorsOf(manager, { organisationId }),
      message: {
        subject: `The domain ${domain} is no longer verified`,
        paragraphs: [
          `Three checks in a row did not find the TXT record ${proofRecord(domain)}.`,
          'Users of the domain keep their memberships, but single sign-on and SCIM add no more of them. Publish the record again and verify the domain.',
        ],
        action: null,
      },
    });
  }
}
