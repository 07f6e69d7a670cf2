from django.db import models


class Film(models.Model):
    title = models.CharField(max_length=100, unique=True)
    made = models.IntegerField(null=True)
    tags = models.JSONField(default=dict)
