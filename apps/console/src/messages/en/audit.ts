import { grouped } from '../../ui/format/numbers';
import { plural } from '../plural';

const ACTIONS: Readonly<Record<string, string>> = {
  create: 'created',
  update: 'changed',
  delete: 'deleted',
  archive: 'archived',
  rotate: 'rotated',
  publish: 'published',
  restore: 'restored',
  invite: 'invited',
  login: 'signed in',
  logout: 'signed out',
  list: 'listed',
  read: 'read',
  test: 'tested',
  export: 'exported',
  alert: 'sent an alert about',
};
const singular = (resource: string): string =>
  resource
    .replaceAll('_', ' ')
    .replace(/\bapi\b/, 'API')
    .replace(/ies$/, 'y')
    .replace(/(?<!s)s$/, '');

export const audit = {
  title: 'Audit',
  list: 'Audit records',
  total: (n: number) => plural(n, { one: 'record', other: 'records' }),
  empty: 'No record in this time',
  emptyHint: 'Each change, and each refused attempt at one, is a record.',
  clear: 'Clear filters',
  fields: {
    group: 'Record',
    action: 'Action',
    resource: 'Kind of thing',
    thing: 'Thing',
    actor: 'Actor',
    actorType: 'Kind of actor',
    workspace: 'Workspace',
    method: 'Method',
    status: 'Status',
    ip: 'Address',
    request: 'Request',
  },
  actorTypes: { user: 'person', api_key: 'API key', system: 'system' } as Readonly<Record<string, string>>,
  columns: { at: 'Time', actor: 'Actor', what: 'What', where: 'Workspace', status: 'Status', ip: 'Address' },
  system: 'the system',
  you: 'you',
  keyNamed: (name: string) => `key ${name}`,
  csv: 'CSV',
  csvFile: 'audit.csv',
  csvHint: (max: number) => `The records of this range and these filters, at most ${grouped(max)}`,
  organisation: 'organisation',
  words: (action: string, resource: string, name: string | null) =>
    [
      ACTIONS[action] ?? action.replaceAll('_', ' '),
      resource === 'auth' ? '' : singular(resource),
      name ?? '',
    ]
      .filter((word) => word !== '')
      .join(' '),
  budget: (isRaised: boolean, name: string, before: string, after: string) =>
    `${isRaised ? 'raised' : 'lowered'} the budget of ${name} from ${before} to ${after}`,
  /** `changed API key search-prod: credit limit from 2500 to 3000`. */
  from: (member: string, before: string, after: string) => `: ${member} from ${before} to ${after}`,
  members: (names: readonly string[]) => `: ${names.join(', ')}`,
  more: (n: number) => ` and ${String(n)} more`,
  ended: (words: string, status: number) =>
    status < 400 ? words : `${words} (${status < 500 ? 'refused' : 'failed'})`,
  member: (path: string) => path.split('.').at(-1)?.replaceAll('_', ' ') ?? path,
  changes: 'What changed',
  field: 'Field',
  before: 'Before',
  after: 'After',
  nothing: 'nothing',
  noChanges: 'The record has no changed values.',
  facts: 'Record',
  at: 'Time',
  actor: 'Actor',
  action: 'Call',
  status: 'Status',
  requestId: 'Request',
  ip: 'Address',
  agent: 'Client',
  sequence: 'Number in the chain',
  hash: 'Hash',
  wholeRequest: 'Everything in this request',
  thing: 'Open it',
  wholeThing: 'Everything about this thing',
  raw: 'As it was recorded',
  verify: 'Check the chain',
  verifying: (checked: string) => `Checked ${checked} …`,
  whole: (to: string) => `Chain whole to ${to}`,
  broken: (at: string) => `Chain broken at ${at}`,
  wholeHint: 'No record was changed, removed, inserted or moved.',
  history: 'History',
  historyOf: (name: string) => `History of ${name}`,
  historyLead: 'Each change, and each refused attempt at one, newest first.',
  historyNone: 'Nothing is recorded of it.',
  historyMore: 'Show more',
  fromAddress: (address: string) => `, from ${address}`,
  inAudit: 'In the audit log',
  copyHash: 'hash of the newest record',
};
