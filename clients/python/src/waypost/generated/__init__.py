"""What is made from the OpenAPI document."""
