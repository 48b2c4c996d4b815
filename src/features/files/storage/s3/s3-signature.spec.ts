import { createHash } from 'node:crypto';
import { AwsV4Signer } from 'aws4fetch';

const EMPTY = createHash('sha256').digest('hex');
const ACCESS = {
  accessKeyId: 'AKIAIOSFODNN7EXAMPLE',
  secretAccessKey: 'wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY',
  region: 'us-east-1',
  service: 's3',
  datetime: '20130524T000000Z',
};
const BUCKET = 'https://examplebucket.s3.amazonaws.com';

describe('the request signer', () => {
  // "Signature Calculations for the Authorization Header", examples of the Amazon S3 API Reference.
  it.each([
    [
      'GET',
      '/test.txt',
      { range: 'bytes=0-9' },
      EMPTY,
      'f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036bdb41',
    ],
    [
      'PUT',
      '/test$file.text',
      { date: 'Fri, 24 May 2013 00:00:00 GMT', 'x-amz-storage-class': 'REDUCED_REDUNDANCY' },
      createHash('sha256').update('Welcome to Amazon S3.').digest('hex'),
      '98ad721746da40c64f1a55b78f14c238d841ea1380cd77a1b5971af0ece108bd',
    ],
    ['GET', '/?lifecycle', {}, EMPTY, 'fea454ca298b7da1c68078a5d1bdbfbbe0d65c699e0f91ac7a200a0136783543'],
    ['GET', '/?max-keys=2&prefix=J', {}, EMPTY, '34b48302e7b5fa45bde8084f4b7868a86f0a534bc59db6670ed5711ef69dc6f7'],
  ])('signs %s %s like the published example', async (method, path, headers, digest, signature) => {
    const all = { ...headers, 'x-amz-content-sha256': digest };
    const signer = new AwsV4Signer({ ...ACCESS, method, url: BUCKET + path, headers: all, allHeaders: true });
    const signed = await signer.sign();
    expect(signed.headers.get('authorization')).toMatch(new RegExp(`Signature=${signature}$`));
  });

  it('signs a URL like the published example', async () => {
    const url = `${BUCKET}/test.txt?X-Amz-Expires=86400`;
    const { url: signed } = await new AwsV4Signer({ ...ACCESS, method: 'GET', url, signQuery: true }).sign();
    expect(signed.searchParams.get('X-Amz-Signature')).toBe(
      'aeeed9bbccd4d02ee5c0109b86d86835f995330da4c265957d157751f604d404',
    );
  });
});
