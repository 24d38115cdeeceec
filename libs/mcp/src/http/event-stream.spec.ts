import { EventRing, messageEvent, readEventId } from './event-stream';

describe('EventRing and messageEvent', () => {
  it('returns the missed events once each to a client that resumes', () => {
    const ring = new EventRing('s1');
    const ids = ['a', 'b', 'c'].map((json) => ring.add(json).id);
    expect(ring.after(ids[0] ?? '')?.map(({ json }) => json)).toEqual(['b', 'c']);
    expect(ring.after(ids[2] ?? '')).toEqual([]);
    expect(ring.after('s1-0')).toHaveLength(3);
    for (const id of ['s2-1', 's1-4', 's1', 's1--1', 's1-1-1', 's1-1e1', ''])
      expect(ring.after(id)).toBeNull();
  });

  it('returns the remaining events when some after the id were dropped', () => {
    const ring = new EventRing('s1');
    for (let at = 0; at < 150; at += 1) ring.add('x');
    expect(ring.after('s1-49')).toHaveLength(100);
    expect(ring.after('s1-51')).toHaveLength(99);
    ring.add('x'.repeat(262_144));
    expect(ring.after('s1-150')).toHaveLength(1);
    expect(ring.after('s1-149')).toHaveLength(1);
    expect(ring.size).toBe(262_144);
  });

  it('writes one line of data for each message', () => {
    expect(messageEvent('{"a":\n1}', 's1-1')).toBe('id: s1-1\nevent: message\ndata: {"a": 1}\n\n');
    expect(messageEvent('{}', null)).toBe('event: message\ndata: {}\n\n');
    expect(readEventId('s1-12')).toEqual({ stream: 's1', number: 12 });
  });
});
