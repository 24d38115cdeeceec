import { claimMail, dropStaleMails, finishMail, type DueMail } from '@gw/entities';
import { mailJob, type JobProcessor } from '@gw/jobs';
import type { Keyring } from '@gw/kernel';
import { MailError, type Mailer } from '@gw/mail';
import { describeFault, type Log } from '@gw/web';
import type { DataSource } from 'typeorm';

/** Maximum number of mails in one run; the rest is left for the next run. */
const BATCH = 200;

/** The mailer, and the key ring that opens queued mails. */
export interface Post {
  readonly mailer: Mailer;
  readonly keyring: Keyring;
}

/**
 * Sends mails. Safe to run twice and on many machines: a mail belongs to the worker that claimed it
 * until its next attempt is due. If a worker dies after the server accepted and before the
 * deletion, the mail is sent again.
 */
export class MailProcessor implements JobProcessor {
  readonly spec = mailJob;

  constructor(
    private readonly source: DataSource,
    /** Null when mail is off: mails wait, and only stale ones are deleted. */
    private readonly post: Post | null,
    private readonly log: Log,
  ) {}

  async process(): Promise<void> {
    const { manager } = this.source;
    await dropStaleMails(manager);
    if (!this.post) return;
    for (let count = 0; count < BATCH; count += 1) {
      const mail = await claimMail(manager, this.post.keyring);
      if (!mail || !(await this.send(this.post.mailer, mail))) return;
    }
  }

  /**
   * Sends one mail. Returns false if the server does not respond: other mails would only wait for
   * its timeout.
   */
  private async send(mailer: Mailer, mail: DueMail): Promise<boolean> {
    try {
      await mailer.send(mail.recipient, mail.message);
      await finishMail(this.source.manager, mail.id);
      return true;
    } catch (error) {
      if (!(error instanceof MailError)) throw error;
      const isOver = mail.isLast || error.kind === 'refused';
      const { topic, organisationId } = mail;
      this.log.warn(
        { topic, organisationId, ...describeFault(error) },
        isOver ? 'gave up on a mail' : 'failed to send a mail; retrying later',
      );
      if (isOver) await finishMail(this.source.manager, mail.id);
      return error.kind !== 'unreachable';
    }
  }
}
