import { loginExpiryJob, type JobProcessor } from '@gw/jobs';
import type { DataSource } from 'typeorm';
import { deleteInBatches } from '../deletions';

const condition = 'expires_at <= now()';
const DELETIONS = [
  { table: 'sso_flows', key: 'state_hash', condition },
  { table: 'sso_used_messages', key: 'connection_id, id_hash', condition },
  { table: 'login_challenges', key: 'token_hash', condition },
  { table: 'taken_challenges', key: 'challenge_hash', condition },
  { table: 'password_resets', key: 'token_hash', condition },
];

/** Keeps the tables of logins small. Safe to run twice and on many machines. */
export class LoginExpiryProcessor implements JobProcessor {
  readonly spec = loginExpiryJob;

  constructor(private readonly source: DataSource) {}

  process(): Promise<void> {
    return deleteInBatches(this.source, DELETIONS);
  }
}
