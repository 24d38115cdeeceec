import { vectors } from '../spec-support/vectors';
import { mapNames, nameCollisions, NamePrefixError, type NameMember } from './name-map';
import { mapUris, originalUri, shownUris } from './resource-uris';

interface NameCase {
  readonly input: {
    readonly members: readonly [string, readonly string[], Readonly<Record<string, string>>?][];
    readonly max_name: number;
  };
  readonly expect: string | readonly string[];
}

const membersOf = ({ members }: NameCase['input']): NameMember[] =>
  members.map(([prefix, names, aliases = {}], index) => ({
    server: prefix === '' ? `server-${String(index)}` : prefix,
    prefix,
    names,
    aliases: new Map(Object.entries(aliases)),
  }));

describe('mapNames', () => {
  it.each(vectors<NameCase>('names'))('%s %s', (_id, _reason, { input, expect: wanted }) => {
    const members = membersOf(input);
    if (wanted === 'reject') {
      expect(() => mapNames(members, { nameMax: input.max_name })).toThrow(NamePrefixError);
      return;
    }
    const map = mapNames(members, { nameMax: input.max_name });
    const shown = map.names.map((each) => each.shown);
    if (typeof wanted !== 'string') expect(shown).toEqual(wanted);
    // Every name is distinct, callable and of the allowed form, whatever the case says.
    expect(shown).toHaveLength(input.members.reduce((sum, [, names]) => sum + names.length, 0));
    expect(new Set(shown).size).toBe(shown.length);
    for (const each of map.names) {
      expect(each.shown).toMatch(/^[A-Za-z0-9_.-]{1,64}$/);
      expect(map.byShown.get(each.shown)).toEqual(each);
    }
  });

  it('keeps the shown name of a tool when others are added after it', () => {
    const first = mapNames([{ server: 'a', names: ['x y'] }]);
    const more = mapNames([
      { server: 'a', names: ['x y', 'x_y'] },
      { server: 'b', names: ['x y'] },
    ]);
    expect(more.names[0]).toEqual(first.names[0]);
  });

  it('reports colliding names of a toolset before it is saved', () => {
    expect(nameCollisions([{ server: 'x', names: ['a b', 'a_b'] }]).map(({ original }) => original)).toEqual([
      'a_b',
    ]);
    expect(nameCollisions([{ server: 'x', names: ['a', 'n'.repeat(128)] }])).toEqual([]);
    const searched = { server: 'x', prefix: '', names: ['search_tools'] };
    expect(nameCollisions([searched], { reserved: ['search_tools'] })).toHaveLength(1);
  });
});

describe('mapUris', () => {
  it('keeps URIs unless two members have the same one', () => {
    const map = mapUris([
      { server: 'a', uris: ['file:///x', 'ui://view/1'] },
      { server: 'b', uris: ['file:///x', 'file:///y'] },
    ]);
    expect([...map.keys()]).toEqual(['file:///x', 'ui://a.view/1', 'gw+b:file:///x', 'file:///y']);
    expect(map.get('gw+b:file:///x')).toMatchObject({ server: 'b', original: 'file:///x' });
  });

  it('converts shown URIs back to those of the server, also URIs of templates', () => {
    const templates = ['file:///{name}', 'ui://view/{id}'];
    const map = mapUris([
      { server: 'a', uris: templates },
      { server: 'b', uris: templates },
    ]);
    const original = (template: string, uri: string): string | null => {
      const mapped = map.get(template);
      return mapped === undefined ? '' : originalUri(mapped, uri);
    };
    expect(original('file:///{name}', 'file:///x')).toBe('file:///x');
    expect(original('gw+b:file:///{name}', 'gw+b:file:///x')).toBe('file:///x');
    expect(original('ui://b.view/{id}', 'ui://b.view/1')).toBe('ui://view/1');
    const resource = mapUris([{ server: 'b', uris: ['file:///listed', 'ui://view'] }]);
    const shown = shownUris({ resource, resource_template: map }, 'b');
    const uris = ['file:///listed', 'file:///x', 'file:///x/y', 'ui://view', 'ui://view/7'];
    expect(uris.map(shown)).toEqual([
      ...['file:///listed', 'gw+b:file:///x', 'file:///x/y', 'ui://b.view', 'ui://b.view/7'],
    ]);
    expect(shownUris({ resource, resource_template: map }, 'a')('file:///x')).toBe('file:///x');
  });

  it('never resolves a template of one server to a resource that another server lists', () => {
    const resource = mapUris([{ server: 'a', uris: ['file:///README.md'] }]);
    const resource_template = mapUris([{ server: 'b', uris: ['file:///{name}'] }]);
    const shown = shownUris({ resource, resource_template }, 'b');
    expect(['file:///README.md', 'file:///x'].map(shown)).toEqual(['gw+b:file:///README.md', 'file:///x']);
    const template = resource_template.get('file:///{name}');
    if (template === undefined) throw new Error('The template is not mapped.');
    const uris = ['gw+b:file:///README.md', 'file:///x', 'gw+b:file:///x/y', 'gw+c:file:///x'];
    expect(uris.map((uri) => originalUri(template, uri))).toEqual([
      ...['file:///README.md', 'file:///x', null, null],
    ]);
  });
});
