import { createSpotlight } from '@mantine/spotlight';

/** Opens and closes the palette. */
export const [palette, paletteActions] = createSpotlight();
