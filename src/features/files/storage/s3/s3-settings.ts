/** A bucket, and who may write into it. */
export interface S3Settings {
  readonly endpoint: string;
  /** Address under which clients reach it that send to it themselves. */
  readonly publicEndpoint: string;
  readonly region: string;
  readonly bucket: string;
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  /** Whether the bucket stands in the path; otherwise it is a part of the host. */
  readonly forcePathStyle: boolean;
}
