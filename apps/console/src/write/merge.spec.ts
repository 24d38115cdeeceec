import fc from 'fast-check';
import { bodyOf, changesOf, inverseOf, isMasked, merge, rebased, type Edit } from './merge';
import { getAt, isFields, isSame, isWithin, leavesOf, pathOf, setAt, type Fields, type Path } from './paths';

const leaf = fc.oneof(
  fc.integer(),
  fc.string({ maxLength: 3 }),
  fc.constant(null),
  fc.array(fc.integer(), { maxLength: 2 }),
);
const name = fc.constantFrom('a', 'b', 'c', 'd');
const inner = fc.dictionary(name, leaf, { maxKeys: 3, noNullPrototype: true });
const resource: fc.Arbitrary<Fields> = fc.dictionary(name, fc.oneof(leaf, inner), {
  maxKeys: 4,
  noNullPrototype: true,
});

/** Arbitrary edits: some leaves of the form have other values. */
const edits = fc
  .tuple(resource, fc.array(fc.tuple(fc.array(name, { minLength: 1, maxLength: 2 }), leaf), { maxLength: 4 }))
  .map(([base, changes]): Edit => {
    const values = changes.reduce<unknown>((next, [path, value]) => setAt(next, path, value), base);
    return { base, values: values as Fields, touched: changes.map(([path]) => path) };
  });

/** Models a write of the API: absent members stay, null clears, objects are replaced as a whole. */
const put = (saved: Fields, body: Fields): Fields => ({ ...saved, ...body });
const covers = (paths: readonly Path[], path: Path): boolean =>
  paths.some((other) => isWithin(path, other) || isWithin(other, path));

describe('bodyOf', () => {
  it('changes only what the user changed, whatever others have saved', () => {
    fc.assert(
      fc.property(edits, resource, (edit, newest) => {
        const saved = put(newest, bodyOf(edit, newest));
        const changes = changesOf(edit);
        for (const path of changes) expect(isSame(getAt(saved, path), getAt(edit.values, path))).toBe(true);
        for (const path of leavesOf(newest).filter((other) => !covers(changes, other)))
          expect(getAt(saved, path)).toEqual(getAt(newest, path));
      }),
    );
  });

  it('contains only members with a change, and is empty without changes', () => {
    fc.assert(
      fc.property(edits, resource, (edit, newest) => {
        const members = new Set(changesOf(edit).map(([member]) => member));
        expect(new Set(Object.keys(bodyOf(edit, newest)))).toEqual(members);
        expect(bodyOf({ ...edit, touched: [] }, newest)).toEqual({});
      }),
    );
  });

  it('contains the rest of a changed object, because the API replaces it as a whole', () => {
    const base = { name: 'x', usage_limits: { credit_limit: 4, alert_threshold: 80 } };
    const values = setAt(base, pathOf('usage_limits.credit_limit'), 5) as Fields;
    const edit = { base, values, touched: [pathOf('usage_limits.credit_limit')] };
    expect(bodyOf(edit, { ...base, name: 'y' })).toEqual({
      usage_limits: { credit_limit: 5, alert_threshold: 80 },
    });
  });

  it('contains null for cleared members, and lists as a whole', () => {
    const base = { expires_at: '2027', rate_limits: [{ unit: 'rpm', value: 1 }] };
    const values = { expires_at: undefined, rate_limits: [{ unit: 'rpm', value: 2 }] };
    const edit = { base, values, touched: [pathOf('expires_at'), pathOf('rate_limits.0.value')] };
    expect(bodyOf(edit, base)).toEqual({ expires_at: null, rate_limits: [{ unit: 'rpm', value: 2 }] });
  });

  it('contains texts that only look like masks, in members without secrets', () => {
    const base = { description: 'a', metadata: { note: '*****', team: 'a' }, key: '*****' };
    const values = { ...base, description: 'phase 1 ***** phase 2', metadata: { note: '*****', team: 'b' } };
    const edit = { base, values, touched: [['description'], pathOf('metadata.team')] };
    expect(bodyOf(edit, base, ['key'])).toEqual({
      description: 'phase 1 ***** phase 2',
      metadata: { note: '*****', team: 'b' },
    });
    expect(inverseOf(edit, values, ['key'])).not.toBeNull();
    const secret = { base: { key: 'a' }, values: { key: 'my ***** secret' }, touched: [['key']] };
    expect(bodyOf(secret, secret.base, ['key'])).toEqual({ key: 'my ***** secret' });
  });

  it('never contains a masked secret', () => {
    const configurations = { region: 'eu', secret_key: 'sk*****f9a' };
    const values = { configurations: { ...configurations, region: 'us' } };
    const edit = { base: { configurations }, values, touched: [pathOf('configurations.region')] };
    expect(bodyOf(edit, edit.base, ['configurations'])).toEqual({ configurations: { region: 'us' } });
    const whole = { base: { key: 'a' }, values: { key: 'sk*****f9a' }, touched: [pathOf('key')] };
    expect(() => bodyOf(whole, whole.base, ['key'])).toThrow('masked');
    fc.assert(
      fc.property(edits, fc.constantFrom('*****', 'ab*****xyz'), (made, mask) => {
        const masked = setAt(made.base, ['a', 'secret'], mask) as Fields;
        const body = bodyOf({ ...made, base: masked }, masked, ['a']);
        const values2 = leavesOf(body).map((path) => getAt(body, path));
        expect(values2.some((value) => isMasked(value))).toBe(false);
      }),
    );
  });
});

describe('merge', () => {
  it('assigns each leaf to the side that changed it, and reports a conflict when both did', () => {
    fc.assert(
      fc.property(edits, resource, (edit, newest) => {
        for (const { path, side, before, mine, theirs } of merge(edit, newest)) {
          const isMine = !isSame(before, mine);
          const isTheirs = !isSame(before, theirs);
          if (side === 'mine') expect([isMine, !isTheirs || isSame(mine, theirs)]).toEqual([true, true]);
          if (side === 'conflict')
            expect([isMine, isTheirs, isSame(mine, theirs)]).toEqual([true, true, false]);
          if (side === 'theirs') expect([isTheirs, covers(changesOf(edit), path)]).toEqual([true, false]);
        }
      }),
    );
  });

  it('includes every change of others', () => {
    fc.assert(
      fc.property(edits, resource, (edit, newest) => {
        const seen = merge(edit, newest).map(({ path }) => path);
        const changed = [...leavesOf(edit.base), ...leavesOf(newest)].filter(
          (path) => !isSame(getAt(edit.base, path), getAt(newest, path)),
        );
        expect(changed.filter((path) => !covers(seen, path))).toEqual([]);
      }),
    );
  });

  it('keeps all changes of both sides when no leaf conflicts', () => {
    fc.assert(
      fc.property(edits, resource, (edit, newest) => {
        const leaves = merge(edit, newest);
        fc.pre(leaves.every(({ side }) => side !== 'conflict'));
        const moved = rebased(edit, newest);
        const saved = put(newest, bodyOf(moved, newest));
        for (const { path, side, mine, theirs } of leaves)
          expect(isSame(getAt(saved, path), side === 'mine' ? mine : theirs)).toBe(true);
      }),
    );
  });

  it("drops the user's change of leaves that yield", () => {
    const base = { a: 1, b: 1 };
    const edit = { base, values: { a: 2, b: 2 }, touched: [['a'], ['b']] };
    const moved = rebased(edit, { a: 3, b: 1 }, [['a']]);
    expect(bodyOf(moved, moved.base)).toEqual({ b: 2 });
  });

  it('undoes a save with inverseOf, except when it replaced a secret', () => {
    fc.assert(
      fc.property(edits, (edit) => {
        const saved = put(edit.base, bodyOf(edit, edit.base));
        const inverse = inverseOf(edit, saved);
        const back = inverse === null ? {} : put(saved, bodyOf(inverse, saved));
        for (const path of leavesOf(edit.base))
          expect(isSame(getAt(back, path), getAt(edit.base, path))).toBe(true);
      }),
    );
    const secret = { base: { key: 'sk*****f9a' }, values: { key: 'sk-new' }, touched: [['key']] };
    expect(inverseOf(secret, { key: 'sk*****new' }, ['key'])).toBeNull();
    expect(isFields(null)).toBe(false);
  });
});
