import type { McpRecord } from '@gw/contracts';
import { fragment, type JsonWriter } from './json-writer';
import { K } from './keys';

const key = (name: string): Buffer => fragment(`,"${name}":`);
const SERVER = fragment(',"mcp":{"server":');
const [TOOLSET, SHOWN_NAME, METHOD, NAME] = [key('toolset'), key('shownName'), key('method'), key('name')];
const [REVISION, CLIENT, IS_ERROR] = [key('revision'), key('client'), key('isError')];
const [ARGUMENTS, INPUTS, REQUEST] = [key('argumentsDigest'), key('inputs'), key('requestId')];
const [SESSION, ERROR_CODE, APPROVAL] = [key('session'), key('errorCode'), key('approvalId')];

/** A record as it is written: a member without a value is absent. */
export type McpRecordParts = { readonly [Name in keyof McpRecord]: McpRecord[Name] | undefined } & Pick<
  McpRecord,
  'server' | 'method' | 'name' | 'revision' | 'client' | 'isError' | 'argumentsDigest' | 'inputs'
>;

/**
 * Writes the member `mcp` of a decision. Each call writes it twice; it is written member by member,
 * which creates no intermediate JSON text.
 */
export function writeMcpRecord(w: JsonWriter, record: McpRecordParts): void {
  w.text(SERVER, record.server);
  if (record.toolset !== undefined) w.text(TOOLSET, record.toolset);
  if (record.shownName !== undefined) w.text(SHOWN_NAME, record.shownName);
  w.text(METHOD, record.method);
  w.text(NAME, record.name);
  w.text(REVISION, record.revision);
  w.text(CLIENT, record.client);
  w.boolean(IS_ERROR, record.isError);
  w.text(ARGUMENTS, record.argumentsDigest);
  w.number(INPUTS, record.inputs);
  if (record.requestId !== undefined) w.text(REQUEST, record.requestId);
  if (record.session !== undefined) w.text(SESSION, record.session);
  if (record.errorCode !== undefined) w.number(ERROR_CODE, record.errorCode);
  if (record.approvalId !== undefined) w.text(APPROVAL, record.approvalId);
  w.raw(K.close);
}
