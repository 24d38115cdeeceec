import { claimMail, dropStaleMails, finishMail, type DueMail } from '@gw/entities';
import { mailJob, type JobProcessor } from '@gw/jobs';
import type { Keyring } from '@gw/kernel';
import { MailError, type Mailer } from '@gw/mail';
import { describeFault, type Log } from '@gw/web';
import type { DataSource } from 'typeorm';

/** Mails of one run; what is left is for the next. */
const BATCH = 200;

/** What it takes to send mails; null where mail is off. */
export interface Post {
  readonly mailer: Mailer;
  readonly keyring: Keyring;
}

/**
 * Safe to run twice, and on many machines: a mail belongs to who claimed it until its next try is due. A worker that dies
 * between the server's yes and the deletion leaves a mail that is sent again.
 */
export class MailProcessor implements JobProcessor {
  readonly spec = mailJob;

  constructor(
    private readonly source: DataSource,
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

  /** False when the server does not answer: every other mail would only wait for its time-out. */
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
        isOver ? 'a mail was given up' : 'a mail could not be sent yet',
      );
      if (isOver) await finishMail(this.source.manager, mail.id);
      return error.kind !== 'unreachable';
    }
  }
}
