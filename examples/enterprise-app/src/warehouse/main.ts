import 'reflect-metadata';
import { NestFactory } from '@nestjs/core';
import { WarehouseModule } from './warehouse.module.js';

const app = await NestFactory.create(WarehouseModule.forRoot());
app.enableShutdownHooks();
await app.listen(Number(process.env['PORT'] ?? '3001'), '127.0.0.1');
