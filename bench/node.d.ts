/** What `toString` calls, without its checks of arguments. The types of Node.js lack it. */
interface Buffer<TArrayBuffer extends ArrayBufferLike = ArrayBufferLike> {
  latin1Slice(this: Buffer<TArrayBuffer>, start?: number, end?: number): string;
}
