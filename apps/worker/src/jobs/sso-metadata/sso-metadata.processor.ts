import { appendAudit, queueMail, SsoConnectionEntity, type SamlSettings } from '@gw/entities';
import { fetchIdpMetadata, SamlMetadataFault, type MetadataClient } from '@gw/federation';
import { ssoMetadataJob, type JobProcessor } from '@gw/jobs';
import type { Keyring } from '@gw/kernel';
import { describeFault, type Log } from '@gw/web';
import { isDeepStrictEqual } from 'node:util';
import { MoreThan, type DataSource, type EntityManager } from 'typeorm';
import { jobAudit } from '../job-audit';
import { administratorsOf } from '../mail/recipients';
import { expiryMail, type ExpiryMail } from './expiry-mail';
import { refreshedSettings } from './refreshed-settings';

/** Maximum number of connections that are checked at a time. */
const BATCH = 32;

type SamlRow = SsoConnectionEntity & { readonly saml: SamlSettings };

/**
 * Re-reads the metadata of SAML identity providers, and mails administrators about certificates
 * that expire. Safe to run twice and on many machines: a connection that changes meanwhile is left
 * as it is.
 */
export class SsoMetadataProcessor implements JobProcessor {
  readonly spec = ssoMetadataJob;

  constructor(
    private readonly source: DataSource,
    private readonly client: MetadataClient,
    private readonly auditEnabled: boolean,
    /** Seals mails to administrators; null when mail is off. */
    private readonly mails: Keyring | null,
    private readonly log: Log,
  ) {}

  process(): Promise<void> {
    return this.readAll(new Date());
  }

  async readAll(now: Date): Promise<void> {
    for (let after: string | null = null; ;) {
      const rows: SsoConnectionEntity[] = await this.source.manager.find(SsoConnectionEntity, {
        where: { type: 'saml', status: 'active', ...(after === null ? {} : { id: MoreThan(after) }) },
        order: { id: 'ASC' },
        take: BATCH,
      });
      await Promise.all(rows.filter(isSaml).map((row) => this.check(row, now)));
      const last = rows.at(-1);
      if (last === undefined || rows.length < BATCH) return;
      after = last.id;
    }
  }

  /**
   * Checks one connection. Logs failures instead of rejecting, so that other connections are
   * checked too.
   */
  private async check(row: SamlRow, now: Date): Promise<void> {
    try {
      const read = await this.readAgain(row, now);
      // Without mail nothing is recorded as sent, so that the mail is sent once mail is on.
      const mail = this.mails === null ? null : expiryMail(read, now);
      await this.write(row, mail === null ? read : { ...read, expiryMail: mail.sent }, mail);
    } catch (error) {
      this.log.error({ connection: row.id, ...describeFault(error) }, 'failed to read metadata again');
    }
  }

  private async readAgain({ issuer, saml }: SamlRow, now: Date): Promise<SamlSettings> {
    if (saml.metadataUrl === null) return saml;
    try {
      const metadata = await fetchIdpMetadata(saml.metadataUrl, this.client);
      return refreshedSettings({ issuer, saml }, metadata, now);
    } catch (error) {
      if (!(error instanceof SamlMetadataFault)) throw error;
      return { ...saml, metadataFault: error.message };
    }
  }

  private async write(row: SamlRow, saml: SamlSettings, expiry: ExpiryMail | null): Promise<void> {
    const { id, version, saml: before } = row;
    if (isDeepStrictEqual(before, saml)) return;
    await this.source.transaction(async (manager) => {
      const { affected } = await manager.update(SsoConnectionEntity, { id, version }, { saml });
      if (affected !== 1) return;
      if (expiry !== null) await this.send(manager, row, `expiry-${String(expiry.sent.days)}`, expiry);
      await this.report(manager, row, saml);
    });
  }

  private async report(manager: EntityManager, row: SamlRow, saml: SamlSettings): Promise<void> {
    const { id, organisationId, saml: before, name } = row;
    const fault = saml.metadataFault ?? null;
    if (fault !== null) {
      const isNew = fault !== (before.metadataFault ?? null);
      if (isNew) await this.send(manager, row, 'metadata', unappliedMail(name, fault));
      return;
    }
    if (isDeepStrictEqual(shownOf(before), shownOf(saml))) return;
    await this.send(manager, row, 'metadata', appliedMail(name));
    if (!this.auditEnabled) return;
    const reported = { organisationId, workspaceId: null, resourceType: 'sso_connections', resourceId: id };
    await appendAudit(manager, [
      jobAudit(ssoMetadataJob, {
        ...{ ...reported, action: 'update' },
        ...{ before: shownOf(before), after: shownOf(saml) },
      }),
    ]);
  }

  private async send(
    manager: EntityManager,
    { id, organisationId }: SsoConnectionEntity,
    topic: string,
    { subject, paragraphs }: MailText,
  ): Promise<void> {
    if (this.mails === null) return;
    await queueMail(manager, this.mails, {
      organisationId,
      topic: `sso/${id}/${topic}`,
      to: await administratorsOf(manager, { organisationId }),
      message: { subject, paragraphs, action: null },
    });
  }
}

interface MailText {
  readonly subject: string;
  readonly paragraphs: string[];
}

const unappliedMail = (name: string, fault: string): MailText => ({
  subject: `The metadata of “${name}” was not applied`,
  paragraphs: [
    `The metadata of this single sign-on connection was read again and was not applied: ${fault}`,
    'Logins go on with the settings that were saved last. If the provider has really changed, save the connection with its new metadata.',
  ],
});

const appliedMail = (name: string): MailText => ({
  subject: `The metadata of “${name}” has changed`,
  paragraphs: [
    'The identity provider of this single sign-on connection has published other certificates or addresses. They were applied, and are in the audit log.',
    'If you did not expect this, disable the connection and ask who runs the provider.',
  ],
});

const isSaml = (row: SsoConnectionEntity): row is SamlRow => row.saml !== null;

/** Returns the fields that the audit log shows of a change. */
const shownOf = ({ certificates, ...saml }: SamlSettings): Record<string, unknown> => ({
  ...{ sso_url: saml.ssoUrl, sso_binding: saml.ssoBinding },
  ...{ slo_url: saml.sloUrl, slo_binding: saml.sloBinding, slo_response_url: saml.sloResponseUrl },
  certificates: certificates.map(({ fingerprint }) => fingerprint),
});
