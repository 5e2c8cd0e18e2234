"""Readers for catalogue files; each yields `retrieval.product.Product`."""
