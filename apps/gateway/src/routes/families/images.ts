import { FORM, route, type RouteRow } from '../route-rows';

/** Images from texts and from images. */
export const images: readonly RouteRow[] = [
  route('POST', '/images/generations', 'images.generations', 'images.generations', 'Generate images', {
    streams: true,
  }),
  route('POST', '/images/edits', 'images.edits', 'images.edits', 'Edit images', { ...FORM, streams: true }),
  route(
    'POST',
    '/images/variations',
    'images.variations',
    'images.variations',
    'Create variations of an image',
    { ...FORM },
  ),
];
