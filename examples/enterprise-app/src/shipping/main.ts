import 'reflect-metadata';
import { NestFactory } from '@nestjs/core';
import { ShippingModule } from './shipping.module.js';

const { LINTEL_ISSUER: issuer = 'http://localhost:8000', LINTEL_KEY: key, PORT = '3000' } = process.env;
if (key === undefined) throw new Error('Set LINTEL_KEY to a key of a service account with the role shipping.');
const app = await NestFactory.create(ShippingModule.forRoot({ issuer, key }));
await app.listen(Number(PORT), '127.0.0.1');
