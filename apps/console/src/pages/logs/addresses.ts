/** Addresses of other pages; texts, so that this page compiles without them. */
export const PLAYGROUND: string = '/w/$ws/playground';
export const CONNECT: string = '/w/$ws/connect';
