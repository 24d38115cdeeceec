import { Problem } from '../api';
import { pathOf, setAt, type Fields } from './paths';
import { save, type Resource } from './save';

const mismatch = new Problem({ type: 'etag_mismatch', message: 'Changed meanwhile.', status: 412 });

/** A resource with versions. `before` returns what others save right before each write. */
function resourceOf(first: Fields, before: (() => Fields | null)[] = []) {
  let fields = first;
  let version = 1;
  const writes: [body: Fields, etag: string | null][] = [];
  const change = (body: Fields) => {
    fields = { ...fields, ...body };
    version += 1;
  };
  const resource: Resource = {
    read: () => Promise.resolve({ fields, etag: String(version) }),
    write: (body, etag) => {
      const theirs = before.shift()?.();
      if (theirs) change(theirs);
      if (etag !== null && etag !== String(version)) return Promise.reject(mismatch);
      writes.push([body, etag]);
      change(body);
      return Promise.resolve();
    },
  };
  return { resource, writes, change, now: () => fields };
}

const KEY = { name: 'ci', usage_limits: { credit_limit: 4, alert_threshold: 80 }, rate: 600 };
const edited = (base: Fields, path: string, value: unknown) => ({
  base,
  values: setAt(base, pathOf(path), value) as Fields,
  touched: [pathOf(path)],
});

describe('save', () => {
  it('writes only the change, once, with the etag of its version, and writes nothing without a change', async () => {
    const { resource, writes } = resourceOf(KEY);
    const outcome = await save(edited(KEY, 'name', 'batch'), '1', resource);
    expect(outcome).toMatchObject({ kind: 'saved', version: { etag: '2' } });
    expect(writes).toEqual([[{ name: 'batch' }, '1']]);
    expect(await save(edited(KEY, 'name', 'ci'), '1', resource)).toEqual({ kind: 'unchanged' });
    expect(writes).toHaveLength(1);
  });

  it('merges what others saved, also when they save repeatedly', async () => {
    const { resource, writes, now } = resourceOf(KEY, [() => ({ rate: 700 }), () => ({ rate: 900 })]);
    const outcome = await save(edited(KEY, 'usage_limits.credit_limit', 9), '1', resource);
    expect(outcome.kind).toBe('saved');
    expect(writes).toHaveLength(1);
    expect(now()).toEqual({ name: 'ci', usage_limits: { credit_limit: 9, alert_threshold: 80 }, rate: 900 });
  });

  it('returns the newest version when others have saved the same change', async () => {
    const { resource, writes } = resourceOf(KEY, [() => ({ name: 'batch' })]);
    expect(await save(edited(KEY, 'name', 'batch'), '1', resource)).toEqual({
      kind: 'unchanged',
      version: { fields: { ...KEY, name: 'batch' }, etag: '2' },
    });
    expect(writes).toEqual([]);
  });

  it('keeps a change of others within the same object', async () => {
    const theirs = { usage_limits: { credit_limit: 4, alert_threshold: 95 } };
    const { resource, now } = resourceOf(KEY, [() => theirs]);
    await save(edited(KEY, 'usage_limits.credit_limit', 9), '1', resource);
    expect(now()).toMatchObject({ usage_limits: { credit_limit: 9, alert_threshold: 95 } });
  });

  it('writes nothing when both changed the same leaf', async () => {
    const theirs = { usage_limits: { credit_limit: 7, alert_threshold: 80 } };
    const { resource, writes } = resourceOf(KEY, [() => theirs]);
    const outcome = await save(edited(KEY, 'usage_limits.credit_limit', 9), '1', resource);
    expect(outcome).toMatchObject({
      kind: 'conflict',
      newest: { etag: '2' },
      leaves: [{ path: ['usage_limits', 'credit_limit'], side: 'conflict', before: 4, mine: 9, theirs: 7 }],
    });
    expect(writes).toEqual([]);
  });

  it('rejects when others save first at each attempt, and when the write is refused', async () => {
    let rate = 0;
    const others = Array.from({ length: 9 }, () => () => ({ rate: (rate += 1) }));
    const { resource, writes } = resourceOf(KEY, others);
    await expect(save(edited(KEY, 'name', 'batch'), '1', resource)).rejects.toBe(mismatch);
    expect(writes).toEqual([]);
    const refusal = new Problem({ type: 'scope_missing', message: 'No.', status: 403 });
    const refusing = { ...resource, write: () => Promise.reject(refusal) };
    await expect(save(edited(KEY, 'name', 'x'), '1', refusing)).rejects.toBe(refusal);
  });
});
